import FoundationEssentials
import Synchronization

/// Sends each element to all listeners.
package final class EventSource<Element: Sendable>: Sendable {
  private let listeners = Mutex<[UUID: AsyncStream<Element>.Continuation]>([:])

  package init() {}

  /// All elements from now on, until the listener's task ends.
  package func stream() -> AsyncStream<Element> {
    AsyncStream { continuation in
      let id = UUID()
      listeners.withLock { $0[id] = continuation }
      continuation.onTermination = { [weak self] _ in
        _ = self?.listeners.withLock { $0.removeValue(forKey: id) }
      }
    }
  }

  package func send(_ element: Element) {
    for listener in listeners.withLock({ Array($0.values) }) { listener.yield(element) }
  }
}
