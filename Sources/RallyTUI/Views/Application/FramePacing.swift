/// Decides when the next frame is painted.
///
/// What a key did is painted at once. Changes that come by themselves are gathered: at most 25
/// frames a second, or 125 for a moment after a key, since they may be its answer.
struct FramePacing {
  typealias Instant = ContinuousClock.Instant

  static let interval: Duration = .milliseconds(40)
  static let intervalAfterInput: Duration = .milliseconds(8)
  static let inputWindow: Duration = .milliseconds(120)

  private var lastPaint: Instant?
  private var lastInput: Instant?

  mutating func painted(at now: Instant) { lastPaint = now }

  mutating func input(at now: Instant) { lastInput = now }

  /// How long to wait with painting a change noticed now; zero paints in this turn of the loop.
  func delay(at now: Instant) -> Duration {
    guard let lastPaint else { return .zero }
    let isAnswer = lastInput.map { now - $0 < Self.inputWindow } ?? false
    let interval = isAnswer ? Self.intervalAfterInput : Self.interval
    return max(.zero, interval - (now - lastPaint))
  }
}
