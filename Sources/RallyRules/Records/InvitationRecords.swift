import Foundation
import RallyStorage
import RallyWire

package struct StoredInvitation: Hashable, Sendable {
  var code: InvitationCode
  package var maker: String
  /// nil for friendship.
  package var mission: String?
  var uses: Int
  /// The number of users who accepted it.
  var used = 0
  package var expiresAt: WireTime
  var createdAt: WireTime

  package func isOpen(at time: WireTime) -> Bool { used < uses && time < expiresAt }
}

/// The tables `invitations` and `invitation_uses`. Revoked codes are deleted, so they cannot be
/// told from unknown ones.
///
/// Codes are stored in clear: their makers can show them again, and a reader of the database has
/// what they open anyway.
package enum InvitationRecords {
  /// How long an expired code is reported as over; then it is unknown.
  package static let retention = Duration.seconds(30 * 86_400)

  private enum Column: Int, TableColumn {
    case code, maker, missionID, uses, expiresAt, createdAt
  }

  private static let table = StoredTable<Column>("invitations", as: "i", key: [.code])
  private static let columns =
    table.columns + ", (SELECT count(*) FROM invitation_uses u WHERE u.code = i.code) AS used"

  private static func invitation(_ row: Row) throws -> StoredInvitation {
    StoredInvitation(
      code: try InvitationCode(row[Column.code] as String), maker: try row[Column.maker],
      mission: try row[Column.missionID], uses: try row[Column.uses], used: try row["used"],
      expiresAt: try row[Column.expiresAt], createdAt: try row[Column.createdAt])
  }

  package static func find(
    _ code: InvitationCode, in database: Database
  ) throws -> StoredInvitation? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM invitations i WHERE i.code = ?",
      arguments: [code.value]
    ).map(invitation)
  }

  package static func insert(_ invitation: StoredInvitation, in database: Database) throws {
    try table.insert(into: database) { column in
      switch column {
      case .code: invitation.code.value
      case .maker: invitation.maker
      case .missionID: invitation.mission
      case .uses: invitation.uses
      case .expiresAt: invitation.expiresAt
      case .createdAt: invitation.createdAt
      }
    }
  }

  /// A user's invitations that can still be accepted, newest first.
  ///
  /// - Parameter withUsedUp: Whether those are listed too that were accepted as often as they can be.
  package static func open(
    of maker: String, at time: WireTime, slice: Slice, withUsedUp: Bool = false,
    in database: Database
  ) throws -> [StoredInvitation] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM invitations i LEFT JOIN missions m ON m.id = i.mission_id
        WHERE i.maker = :me AND i.expires_at > :now
          AND i.uses + :more > (SELECT count(*) FROM invitation_uses u WHERE u.code = i.code)
          AND (i.mission_id IS NULL
            OR (m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > :now)))
        ORDER BY i.created_at DESC, i.code LIMIT :limit OFFSET :offset
        """,
      arguments: [
        "me": maker, "now": time.microseconds, "limit": slice.limit, "offset": slice.offset,
        "more": withUsedUp ? 1 : 0,
      ]
    ).map(invitation)
  }

  static func openCount(of maker: String, at time: WireTime, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM invitations WHERE maker = ? AND expires_at > ?",
      arguments: [maker, time.microseconds]) ?? 0
  }

  // MARK: - Uses

  /// The usernames of the first users who accepted it, in that order, without those who are not there
  /// for its maker.
  static func guests(
    of invitation: StoredInvitation, atMost limit: Int, in database: Database
  ) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT p.username FROM invitation_uses u JOIN profiles p ON p.id = u.user_id
        WHERE u.code = :code AND u.user_id NOT IN (\(BlockRecords.hidden))
        ORDER BY u.at, p.username LIMIT :limit
        """,
      arguments: ["code": invitation.code.value, "me": invitation.maker, "limit": limit])
  }

  static func isUsed(
    _ code: InvitationCode, by user: String, in database: Database
  ) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM invitation_uses WHERE code = ? AND user_id = ?",
      arguments: [code.value, user]) != nil
  }

  static func use(
    _ code: InvitationCode, by user: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO invitation_uses (code, user_id, at) VALUES (?, ?, ?)",
      arguments: [code.value, user, time.microseconds])
  }

  /// Removes a deleted user from the uses. The number of uses is reduced with it, so that the code
  /// does not become usable again.
  static func forget(guest: String, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE invitations SET uses = uses - 1
        WHERE code IN (SELECT code FROM invitation_uses WHERE user_id = ?)
        """, arguments: [guest])
    try database.execute(sql: "DELETE FROM invitation_uses WHERE user_id = ?", arguments: [guest])
  }

  // MARK: - Ends

  static func revoke(_ code: InvitationCode, in database: Database) throws {
    try database.execute(sql: "DELETE FROM invitations WHERE code = ?", arguments: [code.value])
  }

  static func revokeAll(by maker: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM invitations WHERE maker = ?", arguments: [maker])
  }

  static func revokeAll(to mission: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM invitations WHERE mission_id = ?", arguments: [mission])
  }

  static func revokeAll(by maker: String, to mission: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM invitations WHERE mission_id = ? AND maker = ?",
      arguments: [mission, maker])
  }

  /// Deletes invitations that expired longer ago than `retention`, with their uses.
  package static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM invitations WHERE expires_at < ?",
      arguments: [time.advanced(by: .zero - retention).microseconds])
  }
}

/// The table `operator_invitations`: codes that let one person in and make them nobody's friend. A used
/// one is deleted.
package enum OperatorInvitationRecords {
  package static func insert(
    _ code: InvitationCode, expiresAt: WireTime, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "DELETE FROM operator_invitations WHERE expires_at <= ?",
      arguments: [time.microseconds])
    try database.execute(
      sql: "INSERT INTO operator_invitations (code, expires_at, created_at) VALUES (?, ?, ?)",
      arguments: [code.value, expiresAt.microseconds, time.microseconds])
  }

  package static func isOpen(
    _ code: InvitationCode, at time: WireTime, in database: Database
  ) throws -> Bool {
    try Int.fetchOne(
      database, sql: "SELECT 1 FROM operator_invitations WHERE code = ? AND expires_at > ?",
      arguments: [code.value, time.microseconds]) != nil
  }

  package static func delete(_ code: InvitationCode, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM operator_invitations WHERE code = ?", arguments: [code.value])
  }
}
