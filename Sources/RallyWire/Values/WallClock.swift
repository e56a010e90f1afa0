import Glibc
import Synchronization

/// The wall clock of this process: the system's, unless it is stopped.
///
/// Ages and times of day are read in many places of the client and the server. Pictures that must
/// be the same in every run are drawn with the clock stopped for all of them.
public enum WallClock {
  private static let running = Int64.min
  private static let stoppedAt = Atomic(running)

  /// Stops the clock at this time, until it is set again.
  public static func stop(at time: WireTime) {
    stoppedAt.store(time.microseconds, ordering: .relaxed)
  }

  static var now: WireTime {
    let stopped = stoppedAt.load(ordering: .relaxed)
    if stopped != running { return WireTime(microseconds: stopped) }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WireTime(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}
