import Foundation
import RallyWire

/// A row of `invitations`.
struct StoredInvitation: Hashable, Sendable {
  var code: InvitationCode
  var maker: String
  /// nil for friendship.
  var mission: String?
  var uses: Int
  /// How many people accepted it.
  var used = 0
  var expiresAt: WireTime
  var createdAt: WireTime

  func isOpen(at time: WireTime) -> Bool { used < uses && time < expiresAt }
}

/// The tables `invitations` and `invitation_uses`. What is revoked is gone, so that nobody can tell
/// it from a code that never was.
///
/// Codes are kept as they are: their makers are shown them again, and whoever reads this database
/// can read what they open as well.
enum InvitationRecords {
  /// For this long after its end a code is still answered with “over”; then it never was.
  static let retention = Duration.seconds(30 * 86_400)

  private static let columns = """
    i.code, i.maker, i.mission_id, i.uses,
    (SELECT count(*) FROM invitation_uses u WHERE u.code = i.code), i.expires_at, i.created_at
    """

  private static func invitation(_ row: Row) throws -> StoredInvitation {
    StoredInvitation(
      code: try InvitationCode(row[0] as String), maker: row[1], mission: row[2], uses: row[3],
      used: row[4], expiresAt: WireTime(microseconds: row[5]),
      createdAt: WireTime(microseconds: row[6]))
  }

  static func find(
    _ code: InvitationCode, in database: Database
  ) throws -> StoredInvitation? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM invitations i WHERE i.code = ?",
      arguments: [code.value]
    ).map(invitation)
  }

  static func insert(_ invitation: StoredInvitation, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO invitations (code, maker, mission_id, uses, expires_at, created_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        invitation.code.value, invitation.maker, invitation.mission, invitation.uses,
        invitation.expiresAt.microseconds, invitation.createdAt.microseconds,
      ])
  }

  /// A person's invitations that somebody could still accept, the newest first.
  static func open(
    of maker: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredInvitation] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM invitations i LEFT JOIN missions m ON m.id = i.mission_id
        WHERE i.maker = :me AND i.expires_at > :now
          AND i.uses > (SELECT count(*) FROM invitation_uses u WHERE u.code = i.code)
          AND (i.mission_id IS NULL
            OR (m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > :now)))
        ORDER BY i.created_at DESC, i.code LIMIT :limit OFFSET :offset
        """,
      arguments: [
        "me": maker, "now": time.microseconds, "limit": slice.limit, "offset": slice.offset,
      ]
    ).map(invitation)
  }

  static func openCount(of maker: String, at time: WireTime, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM invitations WHERE maker = ? AND expires_at > ?",
      arguments: [maker, time.microseconds]) ?? 0
  }

  // MARK: - Uses

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

  /// Whoever used a code is forgotten, but what they took of it is not given back: a code for one
  /// would otherwise open again.
  static func forget(guest: String, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE invitations SET uses = uses - 1
        WHERE code IN (SELECT code FROM invitation_uses WHERE user_id = ?)
        """, arguments: [guest])
    try database.execute(
      sql: "DELETE FROM invitation_uses WHERE user_id = ?", arguments: [guest])
  }

  // MARK: - Ends

  static func revoke(_ code: InvitationCode, in database: Database) throws {
    try database.execute(sql: "DELETE FROM invitations WHERE code = ?", arguments: [code.value])
  }

  static func revokeAll(by maker: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM invitations WHERE maker = ?", arguments: [maker])
  }

  static func revokeAll(to mission: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM invitations WHERE mission_id = ?", arguments: [mission])
  }

  static func revokeAll(by maker: String, to mission: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM invitations WHERE mission_id = ? AND maker = ?",
      arguments: [mission, maker])
  }

  /// Forgets the invitations that ended long ago, and who accepted them.
  static func trim(at time: WireTime, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM invitations WHERE expires_at < ?",
      arguments: [time.advanced(by: .zero - retention).microseconds])
  }
}
