/// Debounces a burst of events, with a maximum delay. A link that comes up sends one event each for
/// itself, its addresses and its routes.
struct Debouncer {
  /// A burst ends after this long without an event.
  static let quiet = Duration.milliseconds(250)
  /// The maximum delay, so that a change is seen within a second.
  static let limit = Duration.milliseconds(800)

  private var first: ContinuousClock.Instant?

  /// Records an event; returns when to read the state.
  mutating func note(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let start = first ?? now
    first = start
    return min(now + Debouncer.quiet, start + Debouncer.limit)
  }

  /// Records that the state was read: the next event starts a new burst.
  mutating func looked() { first = nil }
}
