import Foundation
import RallyWire

/// A row of `users`.
struct UserRecord: Hashable, Sendable {
  var id: UUID
  var identityID: UUID
  var email: String
  /// An argon2id string.
  var password: String
  var metadata: [String: JSONValue]
  var isBanned = false
  var createdAt: WireTime
  var updatedAt: WireTime
  var lastSignInAt: WireTime
}

/// The table `users`.
enum UserRecords {
  private static let columns = """
    id, identity_id, email, password, metadata, is_banned, created_at, updated_at, last_sign_in_at
    """

  private static func user(_ row: Row) throws -> UserRecord {
    let metadata: String = row[4]
    guard let id = UUID(uuidString: row[0]), let identityID = UUID(uuidString: row[1]) else {
      throw StorageFailure.damaged("not a uuid")
    }
    return UserRecord(
      id: id, identityID: identityID, email: row[2], password: row[3],
      metadata: try WireJSON.decode([String: JSONValue].self, from: Data(metadata.utf8)),
      isBanned: row[5], createdAt: WireTime(microseconds: row[6]),
      updatedAt: WireTime(microseconds: row[7]), lastSignInAt: WireTime(microseconds: row[8]))
  }

  static func find(id: String, in database: Database) throws -> UserRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM users WHERE id = ?", arguments: [id]
    ).map(user)
  }

  static func find(email: String, in database: Database) throws -> UserRecord? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM users WHERE email = ?", arguments: [email]
    ).map(user)
  }

  static func find(username: String, in database: Database) throws -> UserRecord? {
    try Row.fetchOne(
      database,
      sql: "SELECT \(columns) FROM users WHERE id = (SELECT id FROM profiles WHERE username = ?)",
      arguments: [username]
    ).map(user)
  }

  static func insert(_ user: UserRecord, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO users (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        user.id.wireText, user.identityID.wireText, user.email, user.password,
        WireJSON.text(user.metadata), user.isBanned, user.createdAt.microseconds,
        user.updatedAt.microseconds, user.lastSignInAt.microseconds,
      ])
  }

  /// Removes the account with everything that hangs on it in storage.
  static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM users WHERE id = ?", arguments: [id])
  }

  static func update(_ user: UserRecord, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE users SET email = ?, password = ?, metadata = ?, is_banned = ?, updated_at = ?,
          last_sign_in_at = ? WHERE id = ?
        """,
      arguments: [
        user.email, user.password, WireJSON.text(user.metadata), user.isBanned,
        user.updatedAt.microseconds, user.lastSignInAt.microseconds, user.id.wireText,
      ])
  }
}
