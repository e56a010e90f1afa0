import RallyStorage
import RallyWire
import Synchronization

/// The users who are online, for `fetch_friends`: on this server in memory, on others in the
/// database.
package final class PresentUsers: Sendable {
  /// This server among others on its database; nil if there can be none.
  private let node: String?
  private let users = Mutex<Set<String>>([])

  package init(node: String? = nil) { self.node = node }

  /// Those who are online on this server.
  package var online: Set<String> { users.withLock { $0 } }

  /// Everybody online on this server, and the friends of a user who are on others.
  package func online(for user: String, in database: Database) throws -> Set<String> {
    guard let node else { return online }
    return try online.union(Self.onlineFriends(of: user, except: node, in: database))
  }

  package func isOnline(_ user: String) -> Bool { users.withLock { $0.contains(user) } }

  package func set(_ user: String, isOnline: Bool) {
    users.withLock { users in
      if isOnline { users.insert(user) } else { users.remove(user) }
    }
  }

  /// The friends of a person who are online on servers that hold a lease.
  private static func onlineFriends(
    of person: String, except node: String, in database: Database
  ) throws -> Set<String> {
    try String.fetchSet(
      database,
      sql: """
        SELECT p.person FROM presence p
        JOIN nodes n ON n.id = p.node AND n.lease_until > \(PostgresClock.now)
        WHERE p.topic = :topic AND p.node <> :node AND p.person IN (\(FriendRecords.friendIDs))
        """, arguments: ["topic": RealtimeTopic.presence, "node": node, "me": person])
  }
}
