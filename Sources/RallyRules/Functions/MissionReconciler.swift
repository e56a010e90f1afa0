import Foundation
import RallyStorage
import RallyWire

/// Stores changes of missions and announces them to everybody who may see them.
///
/// Runs in the transaction of the change.
enum MissionReconciler {
  // MARK: - The mission

  /// Stores a change of the mission's fields or objectives under a new version.
  ///
  /// If the change affects visibility, people who gain or lose access are notified.
  ///
  /// - Parameter person: The user who caused the change, if people who block them must not be
  ///   notified.
  static func store(
    _ mission: inout StoredMission, through person: String? = nil, at time: WireTime,
    in database: Database
  ) throws {
    let before = try MissionRecords.find(mission.key, in: database)
    mission.version += 1
    let mayChangeAudience =
      before.map {
        $0.visibility != mission.visibility || $0.state != mission.state
          || $0.creator != mission.creator
      } ?? false
    let saw =
      mayChangeAudience
      ? try before.map { try MissionAudience(of: $0, at: time, in: database).viewers } ?? [] : []
    try MissionRecords.update(mission, in: database)
    if mayChangeAudience {
      let sees = try MissionAudience(of: mission, at: time, in: database).viewers
      let strangers = try person.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
      try publish(
        .delete, of: mission.key, to: saw.subtracting(sees).subtracting(strangers), at: time,
        in: database)
      try publish(.insert, of: mission.key, to: sees.subtracting(saw), at: time, in: database)
    }
    try ChangeLog.append(
      .update, in: .missions, key: MissionKey(mission: mission.key, person: person).text, at: time,
      to: database)
    try OnMyWayRules.follow(mission, at: time, in: database)
  }

  /// Announces the mission after somebody joined, left or checked in: its row is unchanged, but
  /// members and progress are fetched with it.
  static func hint(
    of mission: String, through person: String, at time: WireTime, in database: Database
  ) throws {
    try ChangeLog.append(
      .update, in: .missions, key: MissionKey(mission: mission, person: person).text, at: time,
      to: database)
  }

  /// Ends a mission before its time.
  ///
  /// All members may know that it is completed; by whom and when, only those who do not block that
  /// user. A cancellation is announced to all, like other changes of its fields.
  ///
  /// - Parameter user: Who closed it; nil if it ends with its creator's account.
  static func close(
    _ mission: inout StoredMission, as state: MissionState, by user: String?, at time: WireTime,
    in database: Database
  ) throws {
    mission.state = state
    if state == .cancelled { mission.fields.series?.nextStartsAt = nil }
    mission.closedAt = time
    mission.closedBy = state == .completed ? user : nil
    try store(&mission, through: mission.closedBy, at: time, in: database)
    try ActivityRecords.append(
      ActivityLine(kind: state == .completed ? .completed : .cancelled, userID: user),
      to: mission.key, at: time, in: database)
  }

  // MARK: - Members

  /// Changes somebody's membership; nil removes it.
  package static func set(
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
      try publish(sees ? .insert : .delete, of: mission.key, to: [user], at: time, in: database)
    }
    try ChangeLog.append(
      .update, in: .missionMembers,
      key: MemberKey(
        mission: mission.key, user: user, before: old?.state, after: member?.state
      ).text, at: time, to: database)
    try hint(of: mission.key, through: user, at: time, in: database)
    if old?.state == .joined, member?.state != .joined {
      try OnMyWayRules.leave(user, mission.key, at: time, in: database)
    }
  }

  // MARK: - Somebody goes for good

  /// Removes a member whose account is deleted, and notifies everybody who saw them in the mission.
  static func remove(
    _ member: StoredMember, from mission: StoredMission, at time: WireTime, in database: Database
  ) throws {
    let user = member.userID
    let audience = try MissionAudience(of: mission, at: time, in: database)
    // Blocks are deleted with the account, so the audience is computed first.
    let hidden = try BlockRecords.hidden(from: user, in: database)
    let readers = audience.viewers.filter { reader in
      reader != user
        && MissionAccess.canSee(
          member: member.state, isSelf: false, isHidden: hidden.contains(reader),
          as: audience.members[reader]?.state)
    }
    try MissionMemberRecords.remove(user, from: mission.key, in: database)
    try OnMyWayRules.leave(user, mission.key, at: time, in: database)
    // An update without an audience would be announced to everybody.
    guard !readers.isEmpty else { return }
    try ChangeLog.append(
      .delete, in: .missionMembers,
      key: MemberKey(mission: mission.key, user: user, before: nil, after: nil).text,
      audience: readers.sorted(), at: time, to: database)
    try publish(.update, of: mission.key, to: readers, at: time, in: database)
  }

  /// Deletes a mission and notifies everybody who saw it.
  static func delete(_ mission: StoredMission, at time: WireTime, in database: Database) throws {
    let viewers = try MissionAudience(of: mission, at: time, in: database).viewers
    try MissionRecords.delete(mission.key, in: database)
    try publish(.delete, of: mission.key, to: viewers, at: time, in: database)
  }

  // MARK: - Two people

  /// Runs a change of the relation between two users, and notifies each of missions that appear or
  /// disappear.
  ///
  /// - Parameter isParting: Whether invitations between the two are withdrawn.
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
        try publish(
          reader, of: other, in: mission, from: old[mission] ?? .none,
          to: new[mission] ?? PairVisibility.without(reader, in: mission, at: time, in: database),
          at: time, database: database)
      }
    }
  }

  /// Removes memberships that one of the two got from the other and did not accept.
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

  private static func publish(
    _ reader: String, of other: String, in mission: String, from old: PairVisibility,
    to new: PairVisibility, at time: WireTime, database: Database
  ) throws {
    if old.seesMission != new.seesMission {
      return try publish(
        new.seesMission ? .insert : .delete, of: mission, to: [reader], at: time, in: database)
    }
    if old.seesMember != new.seesMember {
      try ChangeLog.append(
        new.seesMember ? .insert : .delete, in: .missionMembers,
        key: MemberKey(mission: mission, user: other, before: nil, after: nil).text,
        audience: [reader], at: time, to: database)
    }
    // Members are fetched with the mission.
    if old.seesMember != new.seesMember || old.seesCreator != new.seesCreator {
      try publish(.update, of: mission, to: [reader], at: time, in: database)
    }
  }

  static func publish(
    _ operation: Change.Operation, of mission: String, to readers: Set<String>, at time: WireTime,
    in database: Database
  ) throws {
    guard !readers.isEmpty else { return }
    try ChangeLog.append(
      operation, in: .missions, key: mission, audience: readers.sorted(), at: time, to: database)
  }
}

/// Who may see one mission at one moment.
package struct MissionAudience: Sendable {
  package let mission: StoredMission
  package let members: [String: StoredMember]
  /// The creator's friends; only read where friendship matters.
  private let friends: Set<String>
  /// Users hidden from the creator.
  private let hidden: Set<String>
  /// Users hidden from whoever completed it.
  private let hiddenFromCloser: Set<String>
  private let time: WireTime

  package init(of mission: StoredMission, at time: WireTime, in database: Database) throws {
    self.mission = mission
    self.time = time
    members = try MissionMemberRecords.all(in: mission.key, from: database)
    friends =
      mission.visibility == .friends
      ? Set(
        try mission.creator.map { try FriendRecords.friendIDs(of: $0, in: database) } ?? []) : []
    hidden = try mission.creator.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
    hiddenFromCloser =
      try mission.closedBy.map { try BlockRecords.hidden(from: $0, in: database) } ?? []
  }

  package func canSee(_ reader: String) -> Bool {
    MissionAccess.canSee(
      mission, as: members[reader]?.state, isFriend: friends.contains(reader),
      isHidden: hidden.contains(reader), at: time)
  }

  /// Which users named by the mission a reader may see.
  package func acquaintance(of reader: String) -> MissionAcquaintance {
    MissionAcquaintance(
      seesCreator: !hidden.contains(reader), seesCloser: !hiddenFromCloser.contains(reader))
  }

  /// The subset of `users` who can possibly see the mission.
  package func people(among users: Set<String>) -> Set<String> {
    users.intersection(members.keys).union(users.intersection(friends))
  }

  var viewers: Set<String> { Set(members.keys).union(friends).filter(canSee) }
}
