/// A token bucket: so many in a second, and a second's worth at once.
struct Pace: Sendable {
  private let perSecond: Double
  private let most: Double
  private var left: Double
  private var filledAt: ContinuousClock.Instant

  /// - Parameters:
  ///   - perSecond: How many come back in a second.
  ///   - burst: How many there are at first and at most; nil for a second's worth.
  init(_ perSecond: Double, burst: Int? = nil, at now: ContinuousClock.Instant = .now) {
    self.perSecond = perSecond
    most = burst.map(Double.init) ?? max(1, perSecond)
    left = most
    filledAt = now
  }

  /// Takes `count` out; false, and nothing taken, when there are not so many.
  mutating func take(_ count: Int = 1, at now: ContinuousClock.Instant = .now) -> Bool {
    let elapsed = (now - filledAt).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    left = min(most, left + max(0, seconds) * perSecond)
    filledAt = now
    guard left >= Double(count) else { return false }
    left -= Double(count)
    return true
  }
}
