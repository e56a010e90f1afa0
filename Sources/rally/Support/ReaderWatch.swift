import Glibc
import RallyClient
import RallyDomain
import RallySystem

/// Notices that standard output has no reader any more, also while nothing is written.
enum ReaderWatch {
  /// Calls `handler` once when the pipe's other end or the terminal is closed.
  ///
  /// A thread waits for it in the kernel and costs no wake-up. It ends with the process: nothing
  /// else would wake it, and the verb ends when it fires.
  static func start(_ handler: @escaping @Sendable () -> Void) {
    BackgroundThread.start("rally.reader", stackSize: 64 << 10) {
      // No events are requested: POLLHUP and POLLERR are always reported.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      var count: Int32
      repeat { count = poll(&descriptor, 1, -1) } while count < 0 && errno == EINTR
      handler()
    }
  }
}
