import Foundation
import RallyWire

/// Joining, leaving and inviting.
struct MissionMemberFunctions: Sendable {
  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  func joinMission(
    _ call: JoinMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var sight = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    // Without an invitation it is the creator's friendship that lets them in.
    try MissionMemberFunctions.requireRoom(sight, budgets, in: database)
    let bringer = sight.member?.broughtBy ?? sight.mission.creator ?? caller.userID
    try MissionMemberFunctions.join(&sight, broughtBy: bringer, in: database)
    return try sight.record(in: database)
  }

  /// Puts the caller into a mission; whoever is in it already stays as they are.
  ///
  /// - Throws: `mission_over` or `mission_full`.
  static func join(
    _ sight: inout MissionContext, broughtBy bringer: String, in database: Database
  ) throws {
    guard !sight.isJoined else { return }
    try sight.requireOpen()
    let (mission, reader) = (sight.mission, sight.reader)
    if let capacity = mission.capacity,
      try MissionMemberRecords.joinedCount(in: mission.key, from: database) >= capacity
    {
      throw FunctionFailure(
        .missionFull, "“\(mission.title)” is full: all \(capacity) places are taken.")
    }
    let member = StoredMember(
      userID: reader.userID, state: .joined, broughtBy: bringer, joinedAt: reader.time)
    try MissionReconciler.set(
      member, inPlaceOf: sight.member, in: sight.mission, at: reader.time, database: database)
    sight.member = member
    try ActivityRecords.append(
      ActivityLine(kind: .joined, userID: reader.userID), to: mission.key, at: reader.time,
      in: database)
  }

  /// Leaves a mission with everything that was done in it staying done, or declines an invitation.
  func leaveMission(
    _ call: LeaveMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var sight = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    guard sight.mission.creator != caller.userID else {
      throw FunctionFailure(
        .creatorStays,
        "“\(sight.mission.title)” is yours; complete or cancel it instead of leaving.")
    }
    guard let member = sight.member else {
      throw FunctionFailure(.notMember, "You are not in “\(sight.mission.title)”.")
    }
    guard member.state != .left else { return try sight.record(in: database) }
    var gone = member
    gone.state = .left
    gone.joinedAt = nil
    try InvitationRecords.revokeAll(by: caller.userID, to: sight.mission.key, in: database)
    if member.state == .joined, sight.mission.phase(at: time).isOpen {
      try ActivityRecords.append(
        ActivityLine(kind: .left, userID: caller.userID), to: sight.mission.key, at: time,
        in: database)
    }
    try MissionReconciler.set(
      gone, inPlaceOf: member, in: sight.mission, at: time, database: database)
    sight.member = gone
    return try sight.record(in: database)
  }

  /// Asks friends of the caller; who is in the mission or asked already stays so.
  func inviteToMission(
    _ call: InviteToMission, caller: Caller, in database: Database
  ) throws -> NoContent {
    let time = now()
    let sight = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try MissionMemberFunctions.requireInviter(sight)
    guard call.userIDs.count <= MissionRules.inviteLimit else {
      throw MissionInput.invalid("Invite at most \(MissionRules.inviteLimit) people at once.")
    }
    for id in call.userIDs.map(\.wrappedValue) {
      guard id != caller.id else { throw FunctionFailure(.yourself, "That is you.") }
      // A stranger, somebody who blocked the caller and an unknown id are never told apart.
      guard try FriendRecords.areFriends(caller.userID, id.wireText, in: database) else {
        throw FunctionFailure(.notFound, "There is no friend with this id.")
      }
      let old = try MissionMemberRecords.find(
        id.wireText, in: sight.mission.key, from: database)
      guard old == nil || old?.state == .left else { continue }
      if old == nil {
        try MissionMemberFunctions.requireRoom(sight, budgets, adds: true, in: database)
      }
      try MissionReconciler.set(
        StoredMember(
          userID: id.wireText, state: .invited, broughtBy: caller.userID, joinedAt: nil),
        inPlaceOf: old, in: sight.mission, at: time, database: database)
    }
    return NoContent()
  }

  /// Whether there is room for one more person who was never in the mission.
  ///
  /// - Parameter adds: Whether it is somebody else whom the caller adds.
  static func requireRoom(
    _ sight: MissionContext, _ budgets: BudgetKeeper, adds: Bool = false, in database: Database
  ) throws {
    guard adds || sight.member == nil else { return }
    try budgets.requireRoom(
      .membersPerMission,
      beside: try MissionMemberRecords.count(in: sight.mission.key, from: database),
      of: sight.reader.userID, at: sight.reader.time, in: database
    ) { "“\(sight.mission.title)” has \($0) people, and cannot have more." }
  }

  /// Whoever is in an open mission may bring others, unless it is private.
  static func requireInviter(_ sight: MissionContext) throws {
    try sight.requireJoined()
    guard sight.mission.visibility != .private else {
      throw MissionInput.invalid("Nobody can be invited to a private mission; change that first.")
    }
    try sight.requireOpen()
  }
}
