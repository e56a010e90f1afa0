import Foundation
import RallyWire

// What an operator is shown of accounts.
extension UserRecords {
  private static let accountColumns = """
    u.id, p.username, p.display_name, u.email, u.is_banned, u.created_at, u.last_sign_in_at,
    (SELECT count(*) FROM sessions s WHERE s.user_id = u.id)
    """
  private static let accountTables = "users u JOIN profiles p ON p.id = u.id"

  private static func account(_ row: Row) throws -> AccountAdministration.Account {
    guard let id = UUID(uuidString: row[0]) else { throw StorageFailure.damaged("not a uuid") }
    return AccountAdministration.Account(
      id: id, username: row[1], displayName: TextLimits.name.cut(row[2]), email: row[3],
      isDisabled: row[4],
      createdAt: WireTime(microseconds: row[5]), lastSignInAt: WireTime(microseconds: row[6]),
      sessions: row[7])
  }

  static func account(
    _ id: String, in database: Database
  ) throws -> AccountAdministration.Account? {
    try Row.fetchOne(
      database, sql: "SELECT \(accountColumns) FROM \(accountTables) WHERE u.id = ?",
      arguments: [id]
    ).map(account)
  }

  /// By username.
  ///
  /// - Parameter text: Part of a username or an e-mail address; nil for all.
  static func accounts(
    matching text: String?, in database: Database
  ) throws -> [AccountAdministration.Account] {
    let all = try Row.fetchAll(
      database, sql: "SELECT \(accountColumns) FROM \(accountTables) ORDER BY p.username"
    ).map(account)
    guard let text = text?.lowercased(), !text.isEmpty else { return all }
    return all.filter { $0.username.contains(text) || $0.email.contains(text) }
  }
}
