import Foundation
import RallyStorage
import RallyText
import RallyWire

package struct UserRecord: Hashable, Sendable {
  package var id: UUID
  var identityID: UUID
  package var email: String
  /// An argon2id string.
  package var password: String
  var metadata: [String: JSONValue]
  var isBanned: Bool
  var createdAt: WireTime
  var updatedAt: WireTime
  var lastSignInAt: WireTime

  package init(
    id: UUID, identityID: UUID, email: String, password: String, metadata: [String: JSONValue],
    isBanned: Bool = false, createdAt: WireTime, updatedAt: WireTime, lastSignInAt: WireTime
  ) {
    self.id = id
    self.identityID = identityID
    self.email = email
    self.password = password
    self.metadata = metadata
    self.isBanned = isBanned
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.lastSignInAt = lastSignInAt
  }
}

package enum UserRecords {
  private enum Column: Int, TableColumn {
    case id, identityID, email, password, metadata, isBanned, createdAt, updatedAt, lastSignInAt
  }

  private static let table = StoredTable<Column>("users", as: "u", key: [.id])

  private static func user(_ row: Row) throws -> UserRecord {
    UserRecord(
      id: try row[Column.id], identityID: try row[Column.identityID],
      email: try row[Column.email], password: try row[Column.password],
      metadata: try WireJSON.decode(
        [String: JSONValue].self, from: Data((row[Column.metadata] as String).utf8)),
      isBanned: try row[Column.isBanned], createdAt: try row[Column.createdAt],
      updatedAt: try row[Column.updatedAt], lastSignInAt: try row[Column.lastSignInAt])
  }

  private static func value(
    of column: Column, in user: UserRecord, metadata: String
  ) -> (any SQLConvertible)? {
    switch column {
    case .id: user.id
    case .identityID: user.identityID
    case .email: user.email
    case .password: user.password
    case .metadata: metadata
    case .isBanned: user.isBanned
    case .createdAt: user.createdAt
    case .updatedAt: user.updatedAt
    case .lastSignInAt: user.lastSignInAt
    }
  }

  package static func find(id: String, in database: Database) throws -> UserRecord? {
    try table.row(where: "id = ?", [id], in: database).map(user)
  }

  /// - Parameter email: As `ProfileText.emailKey` has it. Accounts from before addresses were composed
  ///   are found in the form that they have, the one as it was typed first.
  package static func find(email: String, in database: Database) throws -> UserRecord? {
    for form in email.canonicalForms {
      if let row = try table.row(where: "email = ?", [form], in: database) { return try user(row) }
    }
    return nil
  }

  package static func find(username: String, in database: Database) throws -> UserRecord? {
    try table.row(
      where: "id = (SELECT id FROM profiles WHERE username = ?)", [username], in: database
    ).map(user)
  }

  package static func insert(_ user: UserRecord, in database: Database) throws {
    let metadata = try WireJSON.text(user.metadata)
    try table.insert(into: database) { value(of: $0, in: user, metadata: metadata) }
  }

  /// Removes the account with everything that hangs on it in storage.
  package static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM users WHERE id = ?", arguments: [id])
  }

  static func update(_ user: UserRecord, in database: Database) throws {
    let metadata = try WireJSON.text(user.metadata)
    try table.update(in: database) { value(of: $0, in: user, metadata: metadata) }
  }
}

// Accounts as operators see them.
extension UserRecords {
  private static let accountColumns = """
    u.id, p.username, p.display_name, u.email, u.is_banned, u.created_at, u.last_sign_in_at,
    (SELECT count(*) FROM sessions s WHERE s.user_id = u.id) AS sessions
    """
  private static let accountTables = "users u JOIN profiles p ON p.id = u.id"

  private static func account(_ row: Row) throws -> OperatedAccount {
    OperatedAccount(
      id: try row["id"], username: try row["username"],
      displayName: TextLimits.name.cut(try row["display_name"]),
      email: try row["email"], isDisabled: try row["is_banned"], createdAt: try row["created_at"],
      lastSignInAt: try row["last_sign_in_at"], sessions: try row["sessions"])
  }

  package static func account(_ id: String, in database: Database) throws -> OperatedAccount? {
    try Row.fetchOne(
      database, sql: "SELECT \(accountColumns) FROM \(accountTables) WHERE u.id = ?",
      arguments: [id]
    ).map(account)
  }

  /// By username.
  ///
  /// - Parameter text: Part of a username or an e-mail address; nil for all.
  package static func accounts(
    matching text: String?, in database: Database
  ) throws -> [OperatedAccount] {
    let all = try Row.fetchAll(
      database, sql: "SELECT \(accountColumns) FROM \(accountTables) ORDER BY p.username"
    ).map(account)
    guard let text = text?.lowercased(), !text.isEmpty else { return all }
    return all.filter { $0.username.contains(text) || $0.email.contains(text) }
  }
}

/// An account as an operator sees it.
public struct OperatedAccount: Hashable, Sendable, Encodable {
  public var id: UUID
  public var username: String
  public var displayName: String
  public var email: String
  public var isDisabled: Bool
  public var createdAt: WireTime
  public var lastSignInAt: WireTime
  /// The number of active sessions.
  public var sessions: Int

  enum CodingKeys: String, CodingKey {
    case id, username, email, sessions
    case displayName = "display_name"
    case isDisabled = "disabled"
    case createdAt = "created_at"
    case lastSignInAt = "last_sign_in_at"
  }
}
