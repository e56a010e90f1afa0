import Foundation
import RallyWire

/// What somebody may see of missions: the only place that says so, and the only one that makes a
/// `MissionRecord`. Rows, lists and events all ask here.
struct MissionReader: Sendable {
  let userID: String
  /// Who does not exist for the reader: whom they blocked, and who blocked them.
  let hidden: Set<String>
  let time: WireTime

  init(_ userID: String, at time: WireTime, in database: Database) throws {
    self.userID = userID
    self.time = time
    hidden = try BlockRecords.hidden(from: userID, in: database)
  }
}

enum MissionAccess {
  /// Whether a mission exists for a reader.
  ///
  /// Whoever is in it sees it in any case. Invited people see it as long as they and its creator
  /// exist for each other; who left, while they could come back; the creator's friends when the
  /// creator says so.
  static func canSee(
    _ mission: StoredMission, as membership: MissionMembership?, isFriend: Bool, isHidden: Bool,
    at time: WireTime
  ) -> Bool {
    if membership == .joined { return true }
    guard !isHidden, mission.visibility != .private else { return false }
    if mission.visibility == .friends, isFriend { return true }
    return switch membership {
    case .invited, .joined: true
    case .left: mission.phase(at: time).isOpen
    case nil: false
    }
  }

  /// Whether a reader who sees the mission sees this person in it.
  ///
  /// - Parameters:
  ///   - isSelf: Whether it is the reader.
  ///   - isHidden: Whether the two do not exist for each other.
  static func canSee(
    member state: MissionMembership?, isSelf: Bool, isHidden: Bool, as reader: MissionMembership?
  ) -> Bool {
    if isSelf { return state != nil }
    return switch state {
    case .joined: !isHidden
    case .invited: !isHidden && reader == .joined
    case .left, nil: false
    }
  }

  /// Activity is for those who are in the mission, without the lines of people who do not exist
  /// for them.
  static func canSee(lineOfHidden isHidden: Bool, as reader: MissionMembership?) -> Bool {
    reader == .joined && !isHidden
  }

  static func canSee(
    _ mission: StoredMission, as membership: MissionMembership?, reader: MissionReader,
    in database: Database
  ) throws -> Bool {
    let isHidden = mission.isCreated(byOneOf: reader.hidden)
    func canSee(isFriend: Bool) -> Bool {
      self.canSee(
        mission, as: membership, isFriend: isFriend, isHidden: isHidden, at: reader.time)
    }
    // Friendship is looked up only where it decides.
    if canSee(isFriend: false) { return true }
    guard canSee(isFriend: true), let creator = mission.creator else { return false }
    return try FriendRecords.areFriends(reader.userID, creator, in: database)
  }

  // MARK: - Records

  /// The mission as its reader sees it.
  static func record(
    of mission: StoredMission, as membership: MissionMembership?, reader: MissionReader,
    in database: Database
  ) throws -> MissionRecord {
    let listed = try MissionMemberRecords.listed(in: mission.key, from: database)
    let creatorFirst =
      listed.filter { $0.member.userID == mission.creator }
      + listed.filter { $0.member.userID != mission.creator }
    let members = creatorFirst.compactMap { listed -> MissionMemberRecord? in
      let member = listed.member
      guard
        canSee(
          member: member.state, isSelf: member.userID == reader.userID,
          isHidden: reader.hidden.contains(member.userID), as: membership),
        let id = UUID(uuidString: member.userID)
      else { return nil }
      return MissionMemberRecord(
        userID: id, username: listed.username, displayName: listed.displayName,
        state: member.state, joinedAt: member.joinedAt)
    }
    let objectives = try ObjectiveRecords.all(of: mission.key, in: database).map {
      record(of: $0, isMember: membership == .joined, hidden: reader.hidden)
    }
    let joined = listed.count { $0.member.state == .joined }
    let acquaintance = MissionAcquaintance(with: mission, hidden: reader.hidden)
    return MissionRecord(
      id: mission.id,
      creatorID: acquaintance.creator(of: mission).flatMap(UUID.init(uuidString:)),
      title: mission.title, brief: mission.brief, centre: mission.centre,
      radiusMetres: mission.radiusMetres, startsAt: mission.startsAt, endsAt: mission.endsAt,
      capacity: mission.capacity, visibility: mission.visibility, state: mission.state,
      createdAt: mission.createdAt, closedAt: acquaintance.closedAt(of: mission),
      version: mission.version,
      objectives: objectives, members: members,
      memberCount: members.count { $0.state == .joined },
      isFull: mission.capacity.map { joined >= $0 } ?? false, myState: membership)
  }

  /// Who checked in and when is told to members only, and neither where the person does not exist
  /// for the reader: the time of a check-in says when somebody was at a place.
  private static func record(
    of objective: StoredObjective, isMember: Bool, hidden: Set<String>
  ) -> ObjectiveRecord {
    let lastBy = objective.lastBy.flatMap { hidden.contains($0) ? nil : UUID(uuidString: $0) }
    return ObjectiveRecord(
      id: objective.id, title: objective.title, place: objective.place,
      radiusMetres: objective.radiusMetres, count: objective.needed,
      checkIns: objective.checkIns, lastBy: isMember ? lastBy : nil,
      lastAt: isMember && lastBy != nil ? objective.lastAt : nil)
  }
}

/// Which of the people whom a mission itself names exist for a reader.
struct MissionAcquaintance: Hashable, Sendable {
  let knowsCreator: Bool
  /// Whether whoever completed it exists for the reader.
  let knowsCloser: Bool

  init(knowsCreator: Bool, knowsCloser: Bool) {
    self.knowsCreator = knowsCreator
    self.knowsCloser = knowsCloser
  }

  /// - Parameter hidden: Who does not exist for the reader.
  init(with mission: StoredMission, hidden: Set<String>) {
    knowsCreator = !mission.isCreated(byOneOf: hidden)
    knowsCloser = !mission.isClosed(byOneOf: hidden)
  }

  func creator(of mission: StoredMission) -> String? { knowsCreator ? mission.creator : nil }

  func closedAt(of mission: StoredMission) -> WireTime? { knowsCloser ? mission.closedAt : nil }
}
