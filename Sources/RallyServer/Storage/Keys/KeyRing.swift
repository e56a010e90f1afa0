import Synchronization

/// The keys that a running server uses, which can be replaced while it runs.
final class KeyRing: Sendable {
  private let keys: Mutex<ServerKeys>

  init(_ keys: ServerKeys) { self.keys = Mutex(keys) }

  var current: ServerKeys { keys.withLock { $0 } }

  var apiKey: String { current.apiKey }

  func replace(with fresh: ServerKeys) { keys.withLock { $0 = fresh } }
}
