import Foundation
import RallyWire

/// Stores what changes in missions, and has those told who may see it.
///
/// Runs in the transaction of whatever changed it.
enum MissionReconciler {
  // MARK: - The mission

  /// Counts a change of the mission's own fields or of what its objectives ask for, and stores it.
  ///
  /// Where the change touches who may see it, those who gained or lost the sight are told so.
  ///
  /// - Parameter person: Through whom it changed, where only those may hear of it who know of them.
  static func store(
    _ mission: inout StoredMission, through person: String? = nil, at time: WireTime,
    in database: Database
  ) throws {
    let before = try MissionRecords.find(mission.key, in: database)
    mission.version += 1
    let isSightAtStake =
      before.map {
        $0.visibility != mission.visibility || $0.state != mission.state
          || $0.creator != mission.creator
      } ?? false
    let saw =
      isSightAtStake
      ? try before.map { try MissionAudience(of: $0, at: time, in: database).viewers } ?? [] : []
    try MissionRecords.update(mission, in: database)
    if isSightAtStake {
      let sees = try MissionAudience(of: mission, at: time, in: database).viewers
      let strangers = try person.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
      try tell(
        .delete, of: mission.key, to: saw.subtracting(sees).subtracting(strangers), at: time,
        in: database)
      try tell(.insert, of: mission.key, to: sees.subtracting(saw), at: time, in: database)
    }
    try ChangeLog.append(
      .update, in: .missions, key: MissionKey(mission: mission.key, person: person).text, at: time,
      to: database)
  }

  /// Has those look again who know of a person that joined, left or checked in: members, their
  /// number and progress are read with the mission, though its own row stays as it is.
  static func hint(
    of mission: String, through person: String, at time: WireTime, in database: Database
  ) throws {
    try ChangeLog.append(
      .update, in: .missions, key: MissionKey(mission: mission, person: person).text, at: time,
      to: database)
  }

  /// Ends a mission before its time.
  ///
  /// That it is completed everybody in it may know; by whom and when, only those who know of the
  /// person. Calling it off is the creator's word to all, as every other change of its fields is.
  ///
  /// - Parameter user: Who did it; nil where it ends with its creator's account.
  static func close(
    _ mission: inout StoredMission, as state: MissionState, by user: String?, at time: WireTime,
    in database: Database
  ) throws {
    mission.state = state
    mission.closedAt = time
    mission.closedBy = state == .completed ? user : nil
    try store(&mission, through: mission.closedBy, at: time, in: database)
    try ActivityRecords.append(
      ActivityLine(kind: state == .completed ? .completed : .cancelled, userID: user),
      to: mission.key, at: time, in: database)
  }

  // MARK: - Members

  /// Makes somebody something else in a mission; nil takes them out of it altogether.
  static func set(
    _ member: StoredMember?, inPlaceOf old: StoredMember?, in mission: StoredMission,
    at time: WireTime, database: Database
  ) throws {
    guard let user = member?.userID ?? old?.userID else { return }
    let reader = try MissionReader(user, at: time, in: database)
    let saw = try MissionAccess.canSee(mission, as: old?.state, reader: reader, in: database)
    let sees = try MissionAccess.canSee(mission, as: member?.state, reader: reader, in: database)
    if let member {
      try MissionMemberRecords.set(member, in: mission, to: database)
    } else {
      try MissionMemberRecords.remove(user, from: mission.key, in: database)
    }
    if sees != saw {
      try tell(sees ? .insert : .delete, of: mission.key, to: [user], at: time, in: database)
    }
    try ChangeLog.append(
      .update, in: .missionMembers,
      key: MemberKey(
        mission: mission.key, user: user, before: old?.state, after: member?.state
      ).text, at: time, to: database)
    try hint(of: mission.key, through: user, at: time, in: database)
  }

  // MARK: - Somebody goes for good

  /// Takes somebody out whose account ends; those who saw them in the mission are told.
  static func remove(
    _ member: StoredMember, from mission: StoredMission, at time: WireTime, in database: Database
  ) throws {
    let user = member.userID
    let audience = try MissionAudience(of: mission, at: time, in: database)
    // Blocks end with the account, so whom the row was hidden from is asked now.
    let hidden = try BlockRecords.hidden(from: user, in: database)
    let readers = audience.viewers.filter { reader in
      reader != user
        && MissionAccess.canSee(
          member: member.state, isSelf: false, isHidden: hidden.contains(reader),
          as: audience.members[reader]?.state)
    }
    try MissionMemberRecords.remove(user, from: mission.key, in: database)
    // Of an update without readers everybody would hear.
    guard !readers.isEmpty else { return }
    try ChangeLog.append(
      .delete, in: .missionMembers,
      key: MemberKey(mission: mission.key, user: user, before: nil, after: nil).text,
      audience: readers.sorted(), at: time, to: database)
    try tell(.update, of: mission.key, to: readers, at: time, in: database)
  }

  /// Removes a mission with everything in it; whoever saw it is told.
  static func delete(_ mission: StoredMission, at time: WireTime, in database: Database) throws {
    let viewers = try MissionAudience(of: mission, at: time, in: database).viewers
    try MissionRecords.delete(mission.key, in: database)
    try tell(.delete, of: mission.key, to: viewers, at: time, in: database)
  }

  // MARK: - Two people

  /// Runs a change between two people, and has each told what appears and what goes in missions.
  ///
  /// - Parameter isParting: Whether invitations between the two fall away.
  static func between(
    _ a: String, _ b: String, isParting: Bool = false, at time: WireTime, in database: Database,
    change: () throws -> Void
  ) throws {
    let pairs = [(a, b), (b, a)]
    let before = try pairs.map {
      try PairVisibility.all(of: $0.0, on: $0.1, at: time, in: database)
    }
    try change()
    if isParting {
      for (user, other) in pairs {
        try dropInvitations(of: user, from: other, at: time, in: database)
      }
    }
    for ((reader, other), old) in zip(pairs, before) {
      let new = try PairVisibility.all(of: reader, on: other, at: time, in: database)
      for mission in Set(old.keys).union(new.keys).sorted() {
        try tell(
          reader, of: other, in: mission, from: old[mission] ?? .none,
          to: new[mission] ?? PairVisibility.without(reader, in: mission, at: time, in: database),
          at: time, database: database)
      }
    }
  }

  /// Who was brought by the other one and is not in the mission has nothing more to do with it.
  private static func dropInvitations(
    of user: String, from other: String, at time: WireTime, in database: Database
  ) throws {
    for key in try MissionMemberRecords.unjoined(user, broughtBy: other, in: database) {
      guard let member = try MissionMemberRecords.find(user, in: key, from: database) else {
        continue
      }
      try MissionMemberRecords.remove(user, from: key, in: database)
      try ChangeLog.append(
        .update, in: .missionMembers,
        key: MemberKey(mission: key, user: user, before: member.state, after: nil).text,
        at: time, to: database)
      try hint(of: key, through: user, at: time, in: database)
    }
  }

  private static func tell(
    _ reader: String, of other: String, in mission: String, from old: PairVisibility,
    to new: PairVisibility, at time: WireTime, database: Database
  ) throws {
    if old.seesMission != new.seesMission {
      return try tell(
        new.seesMission ? .insert : .delete, of: mission, to: [reader], at: time, in: database)
    }
    if old.seesMember != new.seesMember {
      try ChangeLog.append(
        new.seesMember ? .insert : .delete, in: .missionMembers,
        key: MemberKey(mission: mission, user: other, before: nil, after: nil).text,
        audience: [reader], at: time, to: database)
    }
    if old.seesCreator != new.seesCreator {
      try tell(.update, of: mission, to: [reader], at: time, in: database)
    }
  }

  private static func tell(
    _ operation: Change.Operation, of mission: String, to readers: Set<String>, at time: WireTime,
    in database: Database
  ) throws {
    guard !readers.isEmpty else { return }
    try ChangeLog.append(
      operation, in: .missions, key: mission, audience: readers.sorted(), at: time, to: database)
  }
}
