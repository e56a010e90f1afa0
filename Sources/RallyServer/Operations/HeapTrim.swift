import CServerProcess
import Dispatch
import RallyStorage
import Synchronization

/// Returns free heap memory to the system, some time after much of it was freed.
///
/// The allocator would otherwise keep it for good.
final class HeapTrim: Sendable {
  /// Several sockets often close together; one pass is enough.
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
