import Foundation
import RallyStorage
import RallyWire

package enum MissionMemberRecords {
  private enum Column: Int, TableColumn {
    case userID, state, broughtBy, joinedAt, version, missionID, z
  }

  private static let table = StoredTable<Column>(
    "mission_members", as: "b", key: [.missionID, .userID], unread: 2, counter: .version)

  private static func member(_ row: Row) throws -> StoredMember {
    StoredMember(
      userID: try row[Column.userID], state: try row[Column.state],
      broughtBy: try row[Column.broughtBy], joinedAt: try row[Column.joinedAt],
      version: try row[Column.version])
  }

  static func find(
    _ user: String, in mission: String, from database: Database
  ) throws -> StoredMember? {
    try table.row(where: "b.mission_id = ? AND b.user_id = ?", [mission, user], in: database)
      .map(member)
  }

  /// Whether a user is a member of a mission.
  package static func hasJoined(
    _ user: String, _ mission: String, in database: Database
  ) throws -> Bool {
    try find(user, in: mission, from: database)?.state == .joined
  }

  /// All rows of a mission, by user id.
  static func all(in mission: String, from database: Database) throws -> [String: StoredMember] {
    try table.rows(where: "b.mission_id = ?", [mission], in: database).reduce(into: [:]) {
      result, row in
      let member = try member(row)
      result[member.userID] = member
    }
  }

  struct Listed: Sendable {
    var member: StoredMember
    var username: String
    var displayName: String
  }

  /// Members and invited users, by the time of joining.
  static func listed(in mission: String, from database: Database) throws -> [Listed] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(table.columns), p.username, p.display_name
        FROM mission_members b JOIN profiles p ON p.id = b.user_id
        WHERE b.mission_id = ? AND b.state IN ('joined', 'invited')
        ORDER BY b.joined_at IS NULL, b.joined_at, p.display_key, p.id
        """, arguments: [mission]
    ).map { row in
      Listed(
        member: try member(row), username: try row["username"],
        displayName: try row["display_name"])
    }
  }

  /// The number of rows of a mission.
  package static func count(in mission: String, from database: Database) throws -> Int {
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

  /// Stores a row; an existing one gets the next version.
  package static func set(
    _ member: StoredMember, in mission: StoredMission, to database: Database
  ) throws {
    try table.upsert(into: database) { column in
      switch column {
      case .userID: member.userID
      case .state: member.state
      case .broughtBy: member.broughtBy
      case .joinedAt: member.joinedAt
      case .version: 1
      case .missionID: mission.key
      case .z: ZOrder(mission.centre).value
      }
    }
  }

  static func remove(_ user: String, from mission: String, in database: Database) throws {
    try database.execute(
      sql: "DELETE FROM mission_members WHERE mission_id = ? AND user_id = ?",
      arguments: [mission, user])
  }

  /// Replaces a deleted user as the one who brought others.
  static func forget(bringer: String, in database: Database) throws {
    try database.execute(
      sql: "UPDATE mission_members SET brought_by = user_id WHERE brought_by = ?",
      arguments: [bringer])
  }

  /// The missions that another user brought a user to, who has not joined.
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

/// The key of a change of `mission_members`: the row, and the membership before and after.
package struct MemberKey: Hashable, Sendable {
  package let mission: String
  package let user: String
  package let before: MissionMembership?
  package let after: MissionMembership?

  var text: String {
    [mission, user, before?.rawValue ?? "", after?.rawValue ?? ""].joined(separator: "/")
  }
}

extension MemberKey {
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4 else { return nil }
    self.init(
      mission: parts[0], user: parts[1], before: MissionMembership(rawValue: parts[2]),
      after: MissionMembership(rawValue: parts[3]))
  }
}
