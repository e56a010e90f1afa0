/// Limits the frame rate.
///
/// Input is painted at once. Other changes are coalesced: at most 25 frames per second, or 125 for
/// 120 ms after a key, since they may be its result.
struct FramePacing {
  typealias Instant = ContinuousClock.Instant

  static let interval: Duration = .milliseconds(40)
  static let intervalAfterInput: Duration = .milliseconds(8)
  static let inputWindow: Duration = .milliseconds(120)

  private var lastPaint: Instant?
  private var lastInput: Instant?

  mutating func painted(at now: Instant) { lastPaint = now }

  mutating func input(at now: Instant) { lastInput = now }

  /// Delay before painting a change noticed now; zero paints in this turn of the run loop.
  func delay(at now: Instant) -> Duration {
    guard let lastPaint else { return .zero }
    let isAnswer = lastInput.map { now - $0 < Self.inputWindow } ?? false
    let interval = isAnswer ? Self.intervalAfterInput : Self.interval
    return max(.zero, interval - (now - lastPaint))
  }
}
