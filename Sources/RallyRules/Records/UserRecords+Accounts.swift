import Foundation
import RallyStorage
import RallyWire

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

  package static func account(
    _ id: String, in database: Database
  ) throws -> OperatedAccount? {
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
  @WireID public var id: UUID
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
