import Foundation
import RallyStorage
import RallyWire

package struct InvitationFunctions: Sendable {
  /// The default validity of a code.
  static let life = Duration.seconds(7 * 86_400)
  /// Of how many who accepted a code the names are listed.
  private static let guestLimit = 50

  let friends: FriendFunctions
  package var now: @Sendable () -> WireTime = { .now }

  package init(friends: FriendFunctions, now: @escaping @Sendable () -> WireTime = { .now }) {
    self.friends = friends
    self.now = now
  }

  // MARK: - The maker's side

  func createInvitation(
    _ call: CreateInvitation, caller: Caller, in database: Database
  ) throws -> InvitationRecord {
    let time = now()
    let uses = call.uses ?? 1
    guard CreateInvitation.uses.contains(uses) else {
      throw MissionInput.invalid("A code can be good for 1 to 1000 people.")
    }
    let expiresAt = call.expiresAt ?? time.advanced(by: InvitationFunctions.life)
    guard expiresAt > time else { throw MissionInput.invalid("The code must end in the future.") }
    guard expiresAt.since(time) <= CreateInvitation.longestLife else {
      throw MissionInput.invalid("A code is good for at most 366 days; choose an earlier end.")
    }
    var mission: StoredMission?
    if let id = call.missionID {
      let context = try MissionContext(id, caller: caller, at: time, in: database)
      try MissionMemberFunctions.requireInviter(context)
      mission = context.mission
    }
    try friends.budgets.requireRoom(
      .openInvitationsPerPerson,
      beside: try InvitationRecords.openCount(of: caller.userID, at: time, in: database),
      of: caller.userID, at: time, in: database, reason: .tooManyRequests
    ) { "You have \($0) open codes; revoke some first." }
    let invitation = StoredInvitation(
      code: try InvitationFunctions.freshCode(in: database), maker: caller.userID,
      mission: mission?.key, uses: uses, expiresAt: expiresAt, createdAt: time)
    try InvitationRecords.insert(invitation, in: database)
    return InvitationFunctions.record(invitation, mission: mission)
  }

  func fetchInvitations(
    _ call: FetchInvitations, caller: Caller, in database: Database
  ) throws -> [InvitationRecord] {
    try InvitationRecords.open(
      of: caller.userID, at: now(), slice: Slice(limit: call.limit, offset: call.offset),
      withUsedUp: call.withUsedUp ?? false, in: database
    ).map { invitation in
      var record = InvitationFunctions.record(
        invitation,
        mission: try invitation.mission.flatMap { try MissionRecords.find($0, in: database) })
      if invitation.used > 0 {
        record.usedBy = try InvitationRecords.guests(
          of: invitation, atMost: InvitationFunctions.guestLimit, in: database)
      }
      return record
    }
  }

  /// Revokes a code; friendships and memberships made by it stay.
  func revokeInvitation(
    _ call: RevokeInvitation, caller: Caller, in database: Database
  ) throws -> NoContent {
    let code = try InvitationFunctions.code(call.code)
    guard let invitation = try InvitationRecords.find(code, in: database),
      invitation.maker == caller.userID
    else { throw InvitationFunctions.unknown }
    try InvitationRecords.revoke(code, in: database)
    return NoContent()
  }

  // MARK: - The guest's side

  func fetchInvitation(
    _ call: FetchInvitation, caller: Caller, in database: Database
  ) throws -> InvitationOffer {
    let found = try find(call.code, caller: caller, in: database)
    let isAccepted = try found.isAlreadyGiven(to: caller, in: database)
    if !isAccepted, found.invitation.maker != caller.userID {
      try requireOpen(found, caller: caller, in: database)
    }
    return InvitationOffer(
      code: found.invitation.code, inviter: found.maker,
      mission: try found.context.map { .init(try $0.record(in: database)) },
      expiresAt: found.invitation.expiresAt, isAccepted: isAccepted)
  }

  func acceptInvitation(
    _ call: AcceptInvitation, caller: Caller, in database: Database
  ) throws -> InvitationResult {
    var found = try find(call.code, caller: caller, in: database)
    let (invitation, time) = (found.invitation, found.time)
    guard invitation.maker != caller.userID else {
      throw FunctionFailure(.yourself, "This is your own code; give it to somebody else.")
    }
    if try !found.isAlreadyGiven(to: caller, in: database) {
      try requireOpen(found, caller: caller, in: database)
      if try !InvitationRecords.isUsed(invitation.code, by: caller.userID, in: database) {
        try InvitationRecords.use(invitation.code, by: caller.userID, at: time, in: database)
      }
      if var context = found.context {
        try MissionMemberFunctions.requireRoom(context, friends.budgets, in: database)
        try MissionMemberFunctions.join(&context, broughtBy: invitation.maker, in: database)
        found.context = context
      } else {
        try friends.befriend(invitation.maker, and: caller.userID, in: database)
      }
    }
    return try found.result(in: database)
  }

  /// The current state of what a code gave, for a repeated call.
  func acceptedInvitation(
    _ call: AcceptInvitation, caller: Caller, in database: Database
  ) throws -> InvitationResult {
    let found = try find(call.code, caller: caller, in: database)
    guard try found.isAlreadyGiven(to: caller, in: database) else {
      throw InvitationFunctions.unknown
    }
    return try found.result(in: database)
  }

  // MARK: - Shared

  /// An invitation as the caller may see it.
  private struct Found {
    var invitation: StoredInvitation
    var maker: ProfileRecord
    var context: MissionContext?
    var time: WireTime

    /// Whether the caller already is a friend or member.
    func isAlreadyGiven(to caller: Caller, in database: Database) throws -> Bool {
      if let context { return context.isJoined }
      return try FriendRecords.areFriends(caller.userID, invitation.maker, in: database)
    }

    func result(in database: Database) throws -> InvitationResult {
      if let context { return .init(mission: try context.record(in: database)) }
      return .init(friend: maker)
    }
  }

  /// - Throws: `not_found` for an unknown or revoked code, and if the caller and its maker or the
  ///   mission's creator block each other.
  private func find(_ text: String, caller: Caller, in database: Database) throws -> Found {
    let code = try InvitationFunctions.code(text)
    let time = now()
    let reader = try MissionReader(caller.userID, at: time, in: database)
    guard let invitation = try InvitationRecords.find(code, in: database),
      !reader.hidden.contains(invitation.maker),
      let maker = try ProfileRecords.find(invitation.maker, in: database)
    else { throw InvitationFunctions.unknown }
    var context: MissionContext?
    if let key = invitation.mission {
      guard let mission = try MissionRecords.find(key, in: database) else {
        throw InvitationFunctions.unknown
      }
      let member = try MissionMemberRecords.find(caller.userID, in: key, from: database)
      guard
        MissionAccess.canSee(
          mission, as: member?.state ?? .invited, isFriend: false,
          isHidden: mission.isCreated(byOneOf: reader.hidden), at: time)
          || member?.state == .left
      else { throw InvitationFunctions.unknown }
      context = MissionContext(mission: mission, member: member, reader: reader)
    }
    return Found(invitation: invitation, maker: maker, context: context, time: time)
  }

  /// Whether the caller can still accept it. Each user can once, so that it does not restore an
  /// ended friendship; a mission that was left can be joined again.
  private func requireOpen(_ found: Found, caller: Caller, in database: Database) throws {
    let (invitation, time) = (found.invitation, found.time)
    let isUsed = try InvitationRecords.isUsed(invitation.code, by: caller.userID, in: database)
    let isComingBack = isUsed && found.context?.member != nil
    guard isComingBack || (!isUsed && invitation.isOpen(at: time)) else {
      throw FunctionFailure(
        .invitationOver,
        time < invitation.expiresAt
          ? "This code was used up; ask for a new one." : "This code has ended; ask for a new one.")
    }
    try found.context?.requireOpen()
  }

  private static var unknown: FunctionFailure {
    FunctionFailure(.notFound, "There is no such code; check it, or ask for a new one.")
  }

  private static func code(_ text: String) throws -> InvitationCode {
    do {
      return try InvitationCode(text)
    } catch {
      throw MissionInput.invalid(error.advice)
    }
  }

  package static func freshCode(in database: Database) throws -> InvitationCode {
    while true {
      let bytes = Sodium.randomBytes(InvitationCode.length)
      guard let code = InvitationCode(randomNumbers: bytes) else { continue }
      if try InvitationRecords.find(code, in: database) == nil { return code }
    }
  }

  private static func record(
    _ invitation: StoredInvitation, mission: StoredMission?
  ) -> InvitationRecord {
    InvitationRecord(
      code: invitation.code, missionID: mission?.id, missionTitle: mission?.title,
      uses: invitation.uses, used: invitation.used, usedBy: [], expiresAt: invitation.expiresAt,
      createdAt: invitation.createdAt)
  }
}
