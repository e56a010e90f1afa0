/// Waits for a burst of news to end, but never long: a link that comes up tells of itself, its
/// addresses and its routes one after the other.
struct Settling {
  /// The silence that ends a burst.
  static let quiet = Duration.milliseconds(250)
  /// The longest wait, so that a change is seen within a second.
  static let limit = Duration.milliseconds(800)

  private var first: ContinuousClock.Instant?

  /// Notes news; gives the time at which to look.
  mutating func note(at now: ContinuousClock.Instant) -> ContinuousClock.Instant {
    let start = first ?? now
    first = start
    return min(now + Settling.quiet, start + Settling.limit)
  }

  /// Notes that somebody looked: the next news begins a new burst.
  mutating func looked() { first = nil }
}
