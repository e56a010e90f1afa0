import Foundation
import RallyStorage
import RallyWire

struct MissionMemberFunctions: Sendable {
  var budgets = BudgetKeeper()
  var now: @Sendable () -> WireTime = { .now }

  func joinMission(
    _ call: JoinMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    // Without an invitation, friendship with the creator admits them.
    try MissionMemberFunctions.requireRoom(context, budgets, in: database)
    let bringer = context.member?.broughtBy ?? context.mission.creator ?? caller.userID
    try MissionMemberFunctions.join(&context, broughtBy: bringer, in: database)
    return try context.record(in: database)
  }

  /// Makes the caller a member; no effect on members.
  ///
  /// - Throws: `mission_over` or `mission_full`.
  static func join(
    _ context: inout MissionContext, broughtBy bringer: String, in database: Database
  ) throws {
    guard !context.isJoined else { return }
    try context.requireOpen()
    let (mission, reader) = (context.mission, context.reader)
    if let capacity = mission.capacity,
      try MissionMemberRecords.joinedCount(in: mission.key, from: database) >= capacity
    {
      throw FunctionFailure(
        .missionFull, "“\(mission.title)” is full: all \(capacity) places are taken.")
    }
    let member = StoredMember(
      userID: reader.userID, state: .joined, broughtBy: bringer, joinedAt: reader.time)
    try MissionReconciler.set(
      member, inPlaceOf: context.member, in: context.mission, at: reader.time, database: database)
    context.member = member
    try ActivityRecords.append(
      ActivityLine(kind: .joined, userID: reader.userID), to: mission.key, at: reader.time,
      in: database)
  }

  /// Leaves a mission, keeping check-ins, or declines an invitation.
  func leaveMission(
    _ call: LeaveMission, caller: Caller, in database: Database
  ) throws -> MissionRecord {
    let time = now()
    var context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    guard context.mission.creator != caller.userID else {
      throw FunctionFailure(
        .creatorStays,
        "“\(context.mission.title)” is yours; complete or cancel it instead of leaving.")
    }
    guard let member = context.member else {
      throw FunctionFailure(.notMember, "You are not in “\(context.mission.title)”.")
    }
    guard member.state != .left else { return try context.record(in: database) }
    var gone = member
    gone.state = .left
    gone.joinedAt = nil
    try InvitationRecords.revokeAll(by: caller.userID, to: context.mission.key, in: database)
    if member.state == .joined, context.mission.phase(at: time).isOpen {
      try ActivityRecords.append(
        ActivityLine(kind: .left, userID: caller.userID), to: context.mission.key, at: time,
        in: database)
    }
    try MissionReconciler.set(
      gone, inPlaceOf: member, in: context.mission, at: time, database: database)
    context.member = gone
    return try context.record(in: database)
  }

  /// Invites friends of the caller; no effect on members and invited people.
  func inviteToMission(
    _ call: InviteToMission, caller: Caller, in database: Database
  ) throws -> NoContent {
    let time = now()
    let context = try MissionContext(call.missionID, caller: caller, at: time, in: database)
    try MissionMemberFunctions.requireInviter(context)
    guard call.userIDs.count <= MissionRules.inviteLimit else {
      throw MissionInput.invalid("Invite at most \(MissionRules.inviteLimit) people at once.")
    }
    for id in call.userIDs {
      let friend = try caller.requireFriend(id, in: database)
      let old = try MissionMemberRecords.find(friend, in: context.mission.key, from: database)
      guard old == nil || old?.state == .left else { continue }
      if old == nil {
        try MissionMemberFunctions.requireRoom(context, budgets, adds: true, in: database)
      }
      try MissionReconciler.set(
        StoredMember(userID: friend, state: .invited, broughtBy: caller.userID, joinedAt: nil),
        inPlaceOf: old, in: context.mission, at: time, database: database)
    }
    return NoContent()
  }

  /// Requires room for one more user in the mission's list.
  ///
  /// - Parameter adds: Whether it is somebody else whom the caller adds.
  static func requireRoom(
    _ context: MissionContext, _ budgets: BudgetKeeper, adds: Bool = false, in database: Database
  ) throws {
    guard adds || context.member == nil else { return }
    try budgets.requireRoom(
      .membersPerMission,
      beside: try MissionMemberRecords.count(in: context.mission.key, from: database),
      of: context.reader.userID, at: context.reader.time, in: database
    ) { "“\(context.mission.title)” has \($0) people, and cannot have more." }
  }

  /// Members of an open mission may invite, unless it is private.
  static func requireInviter(_ context: MissionContext) throws {
    try context.requireJoined()
    guard context.mission.visibility != .private else {
      throw MissionInput.invalid("Nobody can be invited to a private mission; change that first.")
    }
    try context.requireOpen()
  }
}
