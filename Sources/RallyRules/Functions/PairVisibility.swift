import RallyStorage
import RallyWire

/// What one user sees of another in a mission.
struct PairVisibility: Hashable, Sendable {
  var seesMission: Bool
  /// Whether the reader sees the other one as a member.
  var seesMember: Bool
  /// Whether the reader sees that the other one created it.
  var seesCreator: Bool

  static let none = PairVisibility(seesMission: false, seesMember: false, seesCreator: false)

  /// What a reader sees of a mission that the other one is no longer part of.
  static func without(
    _ reader: String, in mission: String, at time: WireTime, in database: Database
  ) throws -> PairVisibility {
    guard let stored = try MissionRecords.find(mission, in: database) else { return .none }
    let member = try MissionMemberRecords.find(reader, in: mission, from: database)
    return PairVisibility(
      seesMission: try MissionAccess.canSee(
        stored, as: member?.state, reader: MissionReader(reader, at: time, in: database),
        in: database),
      seesMember: false, seesCreator: false)
  }

  /// By mission, for those that `other` is part of and that `reader` may see: as a member or
  /// invited, or because they are open to friends.
  static func all(
    of reader: String, on other: String, at time: WireTime, in database: Database
  ) throws -> [String: PairVisibility] {
    let context = try MissionReader(reader, at: time, in: database)
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(StoredMission.table.columns), theirs.state AS theirs, mine.state AS mine
        FROM mission_members theirs JOIN missions m ON m.id = theirs.mission_id
        LEFT JOIN mission_members mine ON mine.mission_id = m.id AND mine.user_id = :me
        WHERE theirs.user_id = :other
          AND (mine.user_id IS NOT NULL OR (m.visibility = 'friends' AND m.state = 'open'
            AND (m.ends_at IS NULL OR m.ends_at > :now)))
        """, arguments: ["me": reader, "other": other, "now": time.microseconds])
    return try rows.reduce(into: [:]) { result, row in
      let mission = try StoredMission(row)
      let membership: MissionMembership? = try row["mine"]
      let isHidden = context.hidden.contains(other)
      let seesMission = try MissionAccess.canSee(
        mission, as: membership, reader: context, in: database)
      result[mission.key] = PairVisibility(
        seesMission: seesMission,
        seesMember: try seesMission
          && MissionAccess.canSee(
            member: row["theirs"], isSelf: false, isHidden: isHidden, as: membership),
        seesCreator: seesMission && mission.creator == other && !isHidden)
    }
  }
}
