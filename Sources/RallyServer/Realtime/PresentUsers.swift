import Synchronization

/// The users who are online on this server, for `fetch_friends`.
final class PresentUsers: Sendable {
  private let users = Mutex<Set<String>>([])

  var online: Set<String> { users.withLock { $0 } }

  func isOnline(_ user: String) -> Bool { users.withLock { $0.contains(user) } }

  func set(_ user: String, isOnline: Bool) {
    users.withLock { users in
      if isOnline { users.insert(user) } else { users.remove(user) }
    }
  }
}
