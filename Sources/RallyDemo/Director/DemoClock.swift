import RallyDomain
import RallyWire

/// The time of a demo: how long it has run, and what the calendar says.
public struct DemoClock: Sendable {
  /// Since the visitor came.
  public var elapsed: @Sendable () -> Duration
  public var wall: @Sendable () -> WireTime

  public init(
    elapsed: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> WireTime
  ) {
    self.elapsed = elapsed
    self.wall = wall
  }

  /// Runs from now on, but not while the machine sleeps: nobody wants to see an hour at once.
  public static func running() -> DemoClock {
    let start = SuspendingClock.now
    return DemoClock(elapsed: { SuspendingClock.now - start }, wall: { .now })
  }
}
