import Synchronization

/// The users who are online, for `fetch_friends`: on this server in memory, on others in the
/// database.
final class PresentUsers: Sendable {
  /// This server among others on its database; nil if there can be none.
  private let node: String?
  private let users = Mutex<Set<String>>([])

  init(node: String? = nil) { self.node = node }

  /// Those who are online on this server.
  var online: Set<String> { users.withLock { $0 } }

  /// Everybody online on this server, and the friends of a user who are on others.
  func online(for user: String, in database: Database) throws -> Set<String> {
    guard let node else { return online }
    return try online.union(PresenceRecords.onlineFriends(of: user, except: node, in: database))
  }

  func isOnline(_ user: String) -> Bool { users.withLock { $0.contains(user) } }

  func set(_ user: String, isOnline: Bool) {
    users.withLock { users in
      if isOnline { users.insert(user) } else { users.remove(user) }
    }
  }
}
