import RallyWire

/// Who may see one mission at one moment.
struct MissionAudience: Sendable {
  let mission: StoredMission
  /// Everybody who has to do with it, by id.
  let members: [String: StoredMember]
  /// The creator's friends; not looked up where friendship changes nothing.
  private let friends: Set<String>
  /// Who does not exist for the creator.
  private let hidden: Set<String>
  /// Who does not exist for whoever completed it.
  private let hiddenFromCloser: Set<String>
  private let time: WireTime

  init(of mission: StoredMission, at time: WireTime, in database: Database) throws {
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

  func canSee(_ reader: String) -> Bool {
    MissionAccess.canSee(
      mission, as: members[reader]?.state, isFriend: friends.contains(reader),
      isHidden: hidden.contains(reader), at: time)
  }

  /// Who of those whom the mission names exists for a reader.
  func acquaintance(of reader: String) -> MissionAcquaintance {
    MissionAcquaintance(
      knowsCreator: !hidden.contains(reader), knowsCloser: !hiddenFromCloser.contains(reader))
  }

  /// Those of some people who could see the mission at all; most of any crowd have nothing to do with it.
  func people(among crowd: Set<String>) -> Set<String> {
    crowd.intersection(members.keys).union(crowd.intersection(friends))
  }

  var viewers: Set<String> { Set(members.keys).union(friends).filter(canSee) }
}
