import RallyStorage
import RallyWire

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
      knowsCreator: !hidden.contains(reader), knowsCloser: !hiddenFromCloser.contains(reader))
  }

  /// The subset of `users` who can possibly see the mission.
  package func people(among users: Set<String>) -> Set<String> {
    users.intersection(members.keys).union(users.intersection(friends))
  }

  var viewers: Set<String> { Set(members.keys).union(friends).filter(canSee) }
}
