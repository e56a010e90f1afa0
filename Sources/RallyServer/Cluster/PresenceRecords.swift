import Foundation
import RallyRules
import RallyStorage
import RallyText
import RallyWire

/// The table `presence`: who is there on which server. PostgreSQL only.
enum PresenceRecords {
  private static let columns =
    "p.node, p.channel, p.topic, p.person, p.key, p.reference, p.previous, p.payload"

  static func save(_ entry: SharedPresence, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO presence (node, channel, topic, person, key, reference, previous, payload)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (node, channel) DO UPDATE SET
          reference = excluded.reference, previous = excluded.previous, payload = excluded.payload
        """,
      arguments: [
        entry.channel.node, entry.channel.number, entry.topic, entry.person, entry.key,
        entry.reference, entry.previous, try WireJSON.text(entry.payload),
      ])
  }

  static func delete(_ channel: RemoteChannel, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM presence WHERE node = ? AND channel = ?",
      arguments: [channel.node, channel.number])
  }

  /// Deletes what a server has published.
  ///
  /// - Returns: The people who were in the presence topic through it and through no other.
  static func deleteAll(of node: String, in database: Database) throws -> Set<String> {
    let people = try String.fetchSet(
      database,
      sql: """
        SELECT p.person FROM presence p WHERE p.node = :node AND p.topic = :topic
          AND NOT EXISTS (
            SELECT 1 FROM presence o
            WHERE o.person = p.person AND o.topic = :topic AND o.node <> :node)
        """, arguments: ["node": node, "topic": RealtimeTopic.presence])
    try database.execute(sql: "DELETE FROM presence WHERE node = ?", arguments: [node])
    return people
  }

  // MARK: - What others told

  /// What a person may see in a topic: their own other devices and their friends.
  static func visible(
    to person: String, in topic: String, except node: String, from database: Database
  ) throws -> [SharedPresence] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM presence p WHERE p.topic = :topic AND p.node <> :node
          AND (p.person = :me OR p.person IN (\(FriendRecords.friendIDs)))
        """, arguments: ["topic": topic, "node": node, "me": person]
    ).map(entry)
  }

  static func all(
    of person: String, except node: String, from database: Database
  ) throws -> [SharedPresence] {
    try Row.fetchAll(
      database, sql: "SELECT \(columns) FROM presence p WHERE p.person = ? AND p.node <> ?",
      arguments: [person, node]
    ).map(entry)
  }

  static func all(except node: String, from database: Database) throws -> [SharedPresence] {
    try Row.fetchAll(
      database, sql: "SELECT \(columns) FROM presence p WHERE p.node <> ?", arguments: [node]
    ).map(entry)
  }

  /// Whether somebody is online on another server.
  static func isOnline(_ person: String, except node: String, in database: Database) throws -> Bool
  {
    try Int.fetchOne(
      database,
      sql: "SELECT 1 FROM presence WHERE person = ? AND topic = ? AND node <> ? LIMIT 1",
      arguments: [person, RealtimeTopic.presence, node]) != nil
  }

  static func entry(_ row: Row) throws -> SharedPresence {
    let payload: String = try row["payload"]
    return SharedPresence(
      channel: RemoteChannel(node: try row["node"], number: try row["channel"]),
      topic: try row["topic"], person: try row["person"], key: try row["key"],
      reference: try row["reference"], previous: try row["previous"],
      payload: try WireJSON.decode([String: JSONValue].self, from: Data(payload.utf8)))
  }
}

/// A channel of another server on the same database.
struct RemoteChannel: Hashable, Sendable {
  let node: String
  let number: Int64
}

/// What a channel on another server tracks, a row of `presence`.
struct SharedPresence: Hashable, Sendable {
  let channel: RemoteChannel
  let topic: String
  let person: String
  /// The person's key in presence messages.
  let key: String
  let reference: String
  let previous: String?
  let payload: [String: JSONValue]
}

/// What became of a channel's presence.
struct PresenceChange: Hashable, Sendable {
  let channel: RemoteChannel
  let topic: String
  let person: String
  /// What it tracks now; nil if nothing.
  let entry: SharedPresence?
}

/// What this server's sockets did that is sent to the others.
struct SharedNews: Sendable {
  /// By the channel's number, so that only the last change of each is published.
  var presence: [Int64: PresenceChange] = [:]
  var broadcasts: [Broadcast] = []
  /// Whether a channel is open.
  var isOccupied = false

  var isEmpty: Bool { presence.isEmpty && broadcasts.isEmpty }
}
