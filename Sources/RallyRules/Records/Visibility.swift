import RallyStorage
import RallyWire

/// Who can see whom: the one rule for rows, events and presence.
package enum Visibility {
  /// Whether `reader` may see `person`: not if the person blocks the reader.
  package static func canSee(_ person: String, reader: String, in database: Database) throws -> Bool
  {
    try ProfileRecords.find(person, visibleTo: reader, in: database) != nil
  }

  /// The SQL condition that `:me` may see the profile `p`. One statement serves blocked and unknown
  /// ids, so that neither result nor duration distinguishes them.
  static let exists =
    "NOT EXISTS (SELECT 1 FROM blocks b WHERE b.blocker = p.id AND b.blocked = :me)"

  /// Only its two users see a friendship.
  package static func canSee(_ friendship: FriendshipRecord, reader: String) -> Bool {
    reader == friendship.requesterID.wireText || reader == friendship.addresseeID.wireText
  }

  /// How two people stand to each other in the words of the wire.
  package static func status(
    isBlocked: Bool, friendship: FriendshipRecord.Status?, isMine: Bool
  ) -> FriendshipStatus {
    if isBlocked { return .blocked }
    return switch friendship {
    case nil: .none
    case .accepted: .friends
    case .pending: isMine ? .outgoing : .incoming
    }
  }
}

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
