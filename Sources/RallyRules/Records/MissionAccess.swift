import Foundation
import RallyStorage
import RallyWire

/// The reader of a mission, and whom they cannot see.
package struct MissionReader: Sendable {
  package let userID: String
  /// Users who block the reader or are blocked by them.
  package let hidden: Set<String>
  package let time: WireTime

  package init(_ userID: String, at time: WireTime, in database: Database) throws {
    self.userID = userID
    self.time = time
    hidden = try BlockRecords.hidden(from: userID, in: database)
  }
}

/// What a mission consists of beside its row, before it is cut for a reader.
package struct MissionContent: Sendable {
  var listed: [MissionMemberRecords.Listed]
  var objectives: [StoredObjective]
  /// Whether anybody is on the way to it, or arrived.
  package var hasWays = false
}

extension MissionContent {
  package init(of mission: StoredMission, in database: Database) throws {
    self.init(
      listed: try MissionMemberRecords.listed(in: mission.key, from: database),
      objectives: try ObjectiveRecords.all(of: mission.key, in: database),
      hasWays: try !OnMyWayRecords.all(to: mission.key, in: database).isEmpty)
  }
}

/// What a user may see of missions: the only place that decides this, for rows, lists and events.
package enum MissionAccess {
  /// Whether a reader may see a mission.
  ///
  /// Members always do. Others do not if they and the creator block each other. Invited people do;
  /// former members while the mission is open; the creator's friends if it is open to friends.
  package static func canSee(
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

  /// Whether a reader who sees the mission sees this user in it.
  ///
  /// - Parameters:
  ///   - isSelf: Whether it is the reader.
  ///   - isHidden: Whether one of the two blocks the other.
  package static func canSee(
    member state: MissionMembership?, isSelf: Bool, isHidden: Bool, as reader: MissionMembership?
  ) -> Bool {
    if isSelf { return state != nil }
    return switch state {
    case .joined: !isHidden
    case .invited: !isHidden && reader == .joined
    case .left, nil: false
    }
  }

  /// Members see activity, without lines of users who block them or are blocked by them.
  package static func canSee(lineOfHidden isHidden: Bool, as reader: MissionMembership?) -> Bool {
    reader == .joined && !isHidden
  }

  package static func canSee(
    _ mission: StoredMission, as membership: MissionMembership?, reader: MissionReader,
    in database: Database
  ) throws -> Bool {
    let isHidden = mission.isCreated(byOneOf: reader.hidden)
    func canSee(isFriend: Bool) -> Bool {
      self.canSee(mission, as: membership, isFriend: isFriend, isHidden: isHidden, at: reader.time)
    }
    // Friendship is only read where it matters.
    if canSee(isFriend: false) { return true }
    guard canSee(isFriend: true), let creator = mission.creator else { return false }
    return try FriendRecords.areFriends(reader.userID, creator, in: database)
  }

  // MARK: - Records

  package static func record(
    of mission: StoredMission, as membership: MissionMembership?, reader: MissionReader,
    in database: Database
  ) throws -> MissionRecord {
    let content = MissionContent(
      listed: try MissionMemberRecords.listed(in: mission.key, from: database),
      objectives: try ObjectiveRecords.all(of: mission.key, in: database))
    return record(of: mission, content: content, as: membership, reader: reader)
  }

  package static func record(
    of mission: StoredMission, content: MissionContent, as membership: MissionMembership?,
    reader: MissionReader
  ) -> MissionRecord {
    let listed = content.listed
    let creatorFirst =
      listed.filter { $0.member.userID == mission.creator }
      + listed.filter { $0.member.userID != mission.creator }
    let members = creatorFirst.compactMap { listed -> MissionMemberRecord? in
      let member = listed.member
      guard
        canSee(
          member: member.state, isSelf: member.userID == reader.userID,
          isHidden: reader.hidden.contains(member.userID), as: membership),
        let id = UUID(wireText: member.userID)
      else { return nil }
      return MissionMemberRecord(
        userID: id, username: listed.username, displayName: listed.displayName,
        state: member.state, joinedAt: member.joinedAt)
    }
    let objectives = content.objectives.map {
      record(of: $0, isMember: membership == .joined, hidden: reader.hidden)
    }
    return MissionRecord(
      mission, acquaintance: MissionAcquaintance(with: mission, hidden: reader.hidden),
      objectives: objectives, members: members,
      joinedCount: listed.count { $0.member.state == .joined }, myState: membership)
  }

  /// Only members see who made the latest check-in and when, and neither if that user is hidden:
  /// the time reveals when somebody was at a place.
  private static func record(
    of objective: StoredObjective, isMember: Bool, hidden: Set<String>
  ) -> ObjectiveRecord {
    let lastBy = objective.lastBy.flatMap { hidden.contains($0) ? nil : UUID(wireText: $0) }
    return ObjectiveRecord(
      id: objective.id, title: objective.title, place: objective.place,
      radiusMetres: objective.radiusMetres, count: objective.needed,
      checkIns: objective.checkIns, lastBy: isMember ? lastBy : nil,
      lastAt: isMember && lastBy != nil ? objective.lastAt : nil)
  }
}

/// Which of the users that a mission's row names a reader may see.
package struct MissionAcquaintance: Hashable, Sendable {
  let seesCreator: Bool
  /// Whether the reader may see who completed it.
  let seesCloser: Bool

  func creator(of mission: StoredMission) -> String? { seesCreator ? mission.creator : nil }

  func closedAt(of mission: StoredMission) -> WireTime? { seesCloser ? mission.closedAt : nil }
}

extension MissionAcquaintance {
  /// - Parameter hidden: Users whom the reader cannot see.
  init(with mission: StoredMission, hidden: Set<String>) {
    seesCreator = !mission.isCreated(byOneOf: hidden)
    seesCloser = !mission.isClosed(byOneOf: hidden)
  }
}
