import CServerProcess
import Dispatch
import Synchronization

/// Gives memory that is free again back to the system, some time after much of it became free.
///
/// The allocator keeps what was freed for later; after a crowd has left that would stay for good.
final class HeapTrim: Sendable {
  /// Several sockets often close together; one pass serves them all.
  private static let delay = DispatchTimeInterval.seconds(1)

  private let isDue = Mutex(false)

  func run() {
    let isNew = isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
    guard isNew else { return }
    DispatchQueue.timers.asyncAfter(deadline: .now() + HeapTrim.delay) { [self] in
      isDue.withLock { $0 = false }
      csp_trim_heap()
    }
  }
}
