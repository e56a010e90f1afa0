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

  static var now: WireTime { stopped ?? WireTime(microseconds: read(CLOCK_REALTIME)) }

  /// The wall clock as it was when this was first asked, moved on by a clock that nobody can set.
  static var steady: WireTime {
    stopped ?? WireTime(microseconds: read(CLOCK_BOOTTIME) + start)
  }

  private static let start = read(CLOCK_REALTIME) - read(CLOCK_BOOTTIME)

  private static var stopped: WireTime? {
    let time = stoppedAt.load(ordering: .relaxed)
    return time == running ? nil : WireTime(microseconds: time)
  }

  /// Microseconds.
  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
