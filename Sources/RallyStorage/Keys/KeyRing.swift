import Synchronization

/// The keys that a running server uses, which can be replaced while it runs.
package final class KeyRing: Sendable {
  private let keys: Mutex<ServerKeys>

  package init(_ keys: ServerKeys) { self.keys = Mutex(keys) }

  package var current: ServerKeys { keys.withLock { $0 } }

  package var apiKey: String { current.apiKey }

  package func replace(with fresh: ServerKeys) { keys.withLock { $0 = fresh } }
}
