import Foundation
import RallyWire

/// The table `mission_members`.
enum MissionMemberRecords {
  private static let columns = "b.user_id, b.state, b.brought_by, b.joined_at, b.version"

  private static func member(_ row: Row) throws -> StoredMember {
    guard let state = MissionMembership(rawValue: row[1]) else {
      throw StorageFailure.damaged("not a membership")
    }
    let joinedAt: Int64? = row[3]
    return StoredMember(
      userID: row[0], state: state, broughtBy: row[2],
      joinedAt: joinedAt.map(WireTime.init(microseconds:)), version: row[4])
  }

  static func find(
    _ user: String, in mission: String, from database: Database
  ) throws -> StoredMember? {
    try Row.fetchOne(
      database,
      sql: "SELECT \(columns) FROM mission_members b WHERE b.mission_id = ? AND b.user_id = ?",
      arguments: [mission, user]
    ).map(member)
  }

  /// Whether somebody is in a mission, and not only invited to it or gone.
  static func hasJoined(
    _ user: String, _ mission: String, in database: Database
  ) throws -> Bool {
    try find(user, in: mission, from: database)?.state == .joined
  }

  /// Everybody who has to do with a mission, by id.
  static func all(in mission: String, from database: Database) throws -> [String: StoredMember] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT \(columns) FROM mission_members b WHERE b.mission_id = ?",
      arguments: [mission])
    return try rows.reduce(into: [:]) { result, row in
      let member = try member(row)
      result[member.userID] = member
    }
  }

  struct Listed: Sendable {
    var member: StoredMember
    var username: String
    var displayName: String
  }

  /// Who joined or is invited, by the time of joining.
  static func listed(in mission: String, from database: Database) throws -> [Listed] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns), p.username, p.display_name
        FROM mission_members b JOIN profiles p ON p.id = b.user_id
        WHERE b.mission_id = ? AND b.state IN ('joined', 'invited')
        ORDER BY b.joined_at IS NULL, b.joined_at, p.display_key, p.id
        """, arguments: [mission]
    ).map { Listed(member: try member($0), username: $0[5], displayName: $0[6]) }
  }

  /// Everybody who is in it, was asked or left.
  static func count(in mission: String, from database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT count(*) FROM mission_members WHERE mission_id = ?",
      arguments: [mission]) ?? 0
  }

  static func joinedCount(in mission: String, from database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM mission_members WHERE mission_id = ? AND state = 'joined'",
      arguments: [mission]) ?? 0
  }

  /// Stores a row, and counts its change where there was one.
  static func set(
    _ member: StoredMember, in mission: StoredMission, to database: Database
  ) throws {
    try database.execute(
      sql: """
        INSERT INTO mission_members (mission_id, user_id, state, brought_by, joined_at, version, z)
        VALUES (?, ?, ?, ?, ?, 1, ?)
        ON CONFLICT (mission_id, user_id) DO UPDATE
        SET state = excluded.state, brought_by = excluded.brought_by,
          joined_at = excluded.joined_at, version = mission_members.version + 1
        """,
      arguments: [
        mission.key, member.userID, member.state.rawValue, member.broughtBy,
        member.joinedAt?.microseconds, ZOrder(mission.centre).value,
      ])
  }

  static func remove(_ user: String, from mission: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM mission_members WHERE mission_id = ? AND user_id = ?",
      arguments: [mission, user])
  }

  /// Whoever was brought by a person and stays has come by themselves from now on.
  static func forget(bringer: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE mission_members SET brought_by = user_id WHERE brought_by = ?",
      arguments: [bringer])
  }

  /// The missions that a person was brought to by another one and is not in.
  static func unjoined(
    _ user: String, broughtBy other: String, in database: Database
  ) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT mission_id FROM mission_members
        WHERE brought_by = ? AND user_id = ? AND state <> 'joined' ORDER BY mission_id
        """, arguments: [other, user])
  }
}
