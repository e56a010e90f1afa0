import Foundation
import RallyStorage
import RallyWire

/// A row of `sessions`: a sign-in with its chain of refresh tokens.
package struct SessionRecord: Hashable, Sendable {
  var id: UUID
  var userID: String
  /// The number of the active refresh token.
  var generation: Int64
  var authenticatedAt: WireTime
  /// nil where it is the same time.
  var createdAt: WireTime?

  package init(
    id: UUID, userID: String, generation: Int64, authenticatedAt: WireTime,
    createdAt: WireTime? = nil
  ) {
    self.id = id
    self.userID = userID
    self.generation = generation
    self.authenticatedAt = authenticatedAt
    self.createdAt = createdAt
  }
}

/// The tables `sessions` and `exchanged_tokens`.
package enum SessionRecords {
  private enum Column: Int, TableColumn {
    case id, userID, generation, authenticatedAt, createdAt
  }

  private static let table = StoredTable<Column>("sessions", as: "s", key: [.id], unread: 1)

  package static func insert(_ session: SessionRecord, in database: Database) throws {
    try table.insert(into: database) { column in
      switch column {
      case .id: session.id
      case .userID: session.userID
      case .generation: session.generation
      case .authenticatedAt: session.authenticatedAt
      case .createdAt: session.createdAt ?? session.authenticatedAt
      }
    }
  }

  static func find(_ id: String, in database: Database) throws -> SessionRecord? {
    try table.row(where: "s.id = ?", [id], in: database).map { row in
      SessionRecord(
        id: try row[Column.id], userID: try row[Column.userID],
        generation: try row[Column.generation], authenticatedAt: try row[Column.authenticatedAt])
    }
  }

  /// Whether the session's user is banned; nil without such a session.
  static func isBanned(session: String, user: String, in database: Database) throws -> Bool? {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT u.is_banned FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.id = ? AND s.user_id = ?
        """, arguments: [session, user])
  }

  /// Advances to the next refresh token, and stores when the old one was exchanged.
  static func advance(
    _ session: SessionRecord, at time: WireTime, forgettingBefore limit: WireTime,
    in database: Database
  ) throws {
    let id = session.id.wireText
    try database.execute(
      sql: "UPDATE sessions SET generation = generation + 1 WHERE id = ?", arguments: [id])
    try database.execute(
      sql: "DELETE FROM exchanged_tokens WHERE session_id = ? AND exchanged_at < ?",
      arguments: [id, limit.microseconds])
    try database.execute(
      sql: """
        INSERT INTO exchanged_tokens (session_id, generation, exchanged_at) VALUES (?, ?, ?)
        """, arguments: [id, session.generation, time.microseconds])
  }

  static func exchangedAt(
    _ generation: Int64, of session: SessionRecord, in database: Database
  ) throws -> WireTime? {
    try WireTime.fetchOne(
      database,
      sql: "SELECT exchanged_at FROM exchanged_tokens WHERE session_id = ? AND generation = ?",
      arguments: [session.id.wireText, generation])
  }

  static func ids(ofUser userID: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT id FROM sessions WHERE user_id = ? ORDER BY id",
      arguments: [userID])
  }

  /// Sessions that began without a password, without the newest ones.
  static func ids(
    withoutPasswordOf userID: String, sparing count: Int, in database: Database
  ) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT id FROM sessions WHERE user_id = ? AND authenticated_at = 0
        ORDER BY created_at DESC, id
        """, arguments: [userID]
    ).dropFirst(count).map(\.self)
  }

  /// Ends sessions with the links to watch that they made, and announces it, which closes their
  /// realtime channels.
  static func end(
    _ ids: [String], ofUser userID: String, at time: WireTime, in database: Database
  ) throws {
    for id in ids {
      try WatchLinkRecords.end(ofSession: id, at: time, in: database)
      try database.execute(sql: "DELETE FROM sessions WHERE id = ?", arguments: [id])
      try ChangeLog.append(
        .delete, in: .sessions, key: id, audience: [userID], at: time, to: database)
    }
  }
}
