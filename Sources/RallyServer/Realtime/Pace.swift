import RallyText

/// A token bucket.
struct Pace: Sendable {
  private let perSecond: Double
  private let most: Double
  private var left: Double
  private var filledAt: ContinuousClock.Instant

  /// - Parameters:
  ///   - perSecond: Tokens added per second.
  ///   - burst: Initial and maximum number of tokens; nil for `perSecond`.
  init(_ perSecond: Double, burst: Int? = nil, at now: ContinuousClock.Instant = .now) {
    self.perSecond = perSecond
    most = burst.map(Double.init) ?? max(1, perSecond)
    left = most
    filledAt = now
  }

  /// Takes `count` tokens; false, taking none, if there are fewer.
  mutating func take(_ count: Int = 1, at now: ContinuousClock.Instant = .now) -> Bool {
    left = min(most, left + max(0, (now - filledAt).inSeconds) * perSecond)
    filledAt = now
    guard left >= Double(count) else { return false }
    left -= Double(count)
    return true
  }
}
