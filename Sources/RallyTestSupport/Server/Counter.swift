import Synchronization

/// Counts from any thread.
package final class Counter: Sendable {
  private let count = Atomic(0)

  package init() {}

  package var value: Int { count.load(ordering: .sequentiallyConsistent) }
  package func increment() { count.add(1, ordering: .sequentiallyConsistent) }
}
