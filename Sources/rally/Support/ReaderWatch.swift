import Foundation

/// Notices that nobody reads standard output any more, also while nothing is written.
enum ReaderWatch {
  /// Calls once when the pipe's other end, or the terminal, is gone.
  ///
  /// A thread waits for it in the kernel and costs no wake-up. It ends with the program: nothing else
  /// would wake it, and a verb that watches ends when it does.
  static func start(_ handler: @escaping @Sendable () -> Void) {
    let thread = Thread {
      // Nothing is asked for: only what is always told comes, that the other end is gone.
      var descriptor = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      var count: Int32
      repeat { count = poll(&descriptor, 1, -1) } while count < 0 && errno == EINTR
      handler()
    }
    thread.stackSize = 65_536
    thread.start()
  }
}
