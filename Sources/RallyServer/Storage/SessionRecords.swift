import Foundation
import RallyWire

/// A row of `sessions`: one sign-in and its family of refresh tokens.
struct SessionRecord: Hashable, Sendable {
  var id: UUID
  var userID: String
  /// Number of the one refresh token that is active.
  var generation: Int64
  var authenticatedAt: WireTime
}

/// The tables `sessions` and `exchanged_tokens`.
enum SessionRecords {
  static func insert(_ session: SessionRecord, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO sessions (id, user_id, generation, authenticated_at, created_at)
        VALUES (?, ?, ?, ?, ?)
        """,
      arguments: [
        session.id.wireText, session.userID, session.generation,
        session.authenticatedAt.microseconds, session.authenticatedAt.microseconds,
      ])
  }

  static func find(_ id: String, in database: Database) throws -> SessionRecord? {
    let row = try Row.fetchOne(
      database,
      sql: "SELECT id, user_id, generation, authenticated_at FROM sessions WHERE id = ?",
      arguments: [id])
    guard let row, let id = UUID(uuidString: row[0]) else { return nil }
    return SessionRecord(
      id: id, userID: row[1], generation: row[2],
      authenticatedAt: WireTime(microseconds: row[3]))
  }

  /// Whether the session's person is banned; nil when there is no such session.
  static func isBanned(session: String, user: String, in database: Database) throws -> Bool? {
    try Bool.fetchOne(
      database,
      sql: """
        SELECT u.is_banned FROM sessions s JOIN users u ON u.id = s.user_id
        WHERE s.id = ? AND s.user_id = ?
        """, arguments: [session, user])
  }

  /// Moves on to the next refresh token and remembers when the old one was exchanged.
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
    try Int64.fetchOne(
      database,
      sql: "SELECT exchanged_at FROM exchanged_tokens WHERE session_id = ? AND generation = ?",
      arguments: [session.id.wireText, generation]
    ).map(WireTime.init(microseconds:))
  }

  static func ids(ofUser userID: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT id FROM sessions WHERE user_id = ? ORDER BY id",
      arguments: [userID])
  }

  /// Ends sessions and tells the feed, which closes what still listens in their name.
  static func end(
    _ ids: [String], ofUser userID: String, at time: WireTime, in database: Database
  ) throws {
    for id in ids {
      try database.execute(sql: "DELETE FROM sessions WHERE id = ?", arguments: [id])
      try ChangeLog.append(
        .delete, in: .sessions, key: id, audience: [userID], at: time, to: database)
    }
  }
}
