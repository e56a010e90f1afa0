import RallyDomain
import RallyWire

/// The demo's clock: elapsed time and wall-clock time, injected so that tests can control both.
public struct DemoClock: Sendable {
  /// Time since the demo started.
  public var elapsed: @Sendable () -> Duration
  public var wall: @Sendable () -> WireTime

  public init(
    elapsed: @escaping @Sendable () -> Duration, wall: @escaping @Sendable () -> WireTime
  ) {
    self.elapsed = elapsed
    self.wall = wall
  }

  /// A clock that starts now and pauses while the machine sleeps, so that waking does not play an
  /// hour of events at once.
  public static func running() -> DemoClock {
    let start = SuspendingClock.now
    return DemoClock(elapsed: { SuspendingClock.now - start }, wall: { .now })
  }
}
