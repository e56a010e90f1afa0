import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct MissionMemberFunctionsTests {
  @Test func `joining, leaving and coming back keep one row and write each line`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create()
    world.wait(seconds: 10)
    let joined = try await world.join(mission.id, as: 1)
    #expect(joined.myState == .joined)
    #expect(joined.memberCount == 2)
    #expect(joined.members.map(\.username) == ["person_0", "person_1"])
    #expect(joined.members[1].joinedAt == world.now)
    #expect(joined.version == mission.version)
    // Twice is harmless.
    #expect(try await world.join(mission.id, as: 1) == joined)

    let left = try await world.result(of: LeaveMission(missionID: mission.id), as: 1)
    #expect(left.myState == .left)
    #expect(left.memberCount == 1)
    #expect(left.members.map(\.username) == ["person_0"])
    #expect(try await world.result(of: LeaveMission(missionID: mission.id), as: 1) == left)
    #expect(try await world.result(of: FetchMissions(scope: .active), as: 1).isEmpty)
    world.wait(seconds: 10)
    #expect(try await world.join(mission.id, as: 1).members[1].joinedAt == world.now)
    #expect(
      try await world.lines(of: mission.id, as: 0) == [.joined, .left, .joined, .created])
  }

  @Test func `the creator stands first, then who joined first, then who is invited`() async throws {
    let world = try await ServerWorld.withFriends(5)
    let mission = try await world.create()
    for guest in [4, 2] { try await world.invite(guest, to: mission.id) }
    for member in [3, 1] {
      world.wait(seconds: 1)
      try await world.join(mission.id, as: member)
    }
    let seen = try await world.mission(mission.id, as: 0).members
    #expect(seen.map(\.username) == ["person_0", "person_3", "person_1", "person_2", "person_4"])
    #expect(seen.map(\.state) == [.joined, .joined, .joined, .invited, .invited])
    // Who is invited sees of the invited only themselves.
    let guest = try await world.mission(mission.id, as: 2)
    #expect(guest.members.map(\.username) == ["person_0", "person_3", "person_1", "person_2"])
    #expect(guest.myState == .invited)
  }

  @Test func `an invitation can be declined and taken up after all`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(.sample(visibility: .invited))
    #expect(try await world.refusal(of: FetchMission(missionID: mission.id), as: 1) == "not_found")
    try await world.invite(1, to: mission.id)
    #expect(
      try await world.result(of: FetchMissions(scope: .active), as: 1).map(\.myState) == [.invited])
    let declined = try await world.result(of: LeaveMission(missionID: mission.id), as: 1)
    #expect(declined.myState == .left)
    #expect(try await world.mission(mission.id, as: 0).members.count == 1)
    // Declining is nobody's news.
    #expect(try await world.lines(of: mission.id, as: 0) == [.created])
    #expect(try await world.join(mission.id, as: 1).myState == .joined)
  }

  @Test func `who left sees the mission while they could come back`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(.sample(visibility: .invited))
    try await world.invite(1, to: mission.id)
    try await world.join(mission.id, as: 1)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await world.mission(mission.id, as: 1).myState == .left)
    try await world.call(CompleteMission(missionID: mission.id), as: 0)
    #expect(try await world.refusal(of: FetchMission(missionID: mission.id), as: 1) == "not_found")
  }

  @Test func `joining needs time and a place`() async throws {
    let world = try await ServerWorld.withFriends(4)
    let start = world.now.advanced(by: .seconds(60))
    let mission = try await world.create(
      .sample(startsAt: start, endsAt: start.advanced(by: .seconds(60)), capacity: 2))
    try await world.join(mission.id, as: 1)
    let refused = try await world.call(JoinMission(missionID: mission.id), as: 2)
    let failure = try WireJSON.decode(FunctionFailure.self, from: Data(refused.utf8))
    #expect(failure.reason == .missionFull)
    #expect(failure.message == "“Tiles” is full: all 2 places are taken.")
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    try await world.join(mission.id, as: 2)
    #expect(
      try await world.refusal(of: JoinMission(missionID: mission.id), as: 1) == "mission_full")
    try await world.call(LeaveMission(missionID: mission.id), as: 2)
    world.wait(seconds: 119)
    try await world.join(mission.id, as: 1)
    world.wait(seconds: 1)
    #expect(
      try await world.refusal(of: JoinMission(missionID: mission.id), as: 3) == "mission_over")
    // Who is in it already asks for what is true.
    #expect(try await world.refusal(of: JoinMission(missionID: mission.id), as: 1) == nil)
  }

  // MARK: - Inviting

  @Test func `members invite their own friends and nobody else`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 2)
    try await world.befriend(1, 2)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    func refusal(_ guests: [Int], as member: Int) async throws -> String? {
      try await world.refusal(
        of: InviteToMission(
          missionID: mission.id, userIDs: guests.map { world.members[$0].id }), as: member)
    }
    #expect(try await refusal([2], as: 0) == "not_found")
    #expect(try await refusal([2, 3], as: 1) == "not_found")
    #expect(try await world.refusal(of: FetchMission(missionID: mission.id), as: 2) == "not_found")
    #expect(try await refusal([1], as: 1) == "yourself")
    #expect(try await refusal([2, 0], as: 1) == nil)
    #expect(try await world.mission(mission.id, as: 2).myState == .invited)
    #expect(try await world.mission(mission.id, as: 0).myState == .joined)
    let version = try await world.mission(mission.id, as: 0).version
    #expect(try await refusal([2], as: 1) == nil)
    #expect(try await world.mission(mission.id, as: 0).version == version)
    let many = InviteToMission(missionID: mission.id, userIDs: (0...100).map { _ in UUID() })
    #expect(try await world.refusal(of: many, as: 0) == "invalid_argument")
  }

  @Test func `nobody can be invited to a private mission`() async throws {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create(.sample(visibility: .private))
    let invite = InviteToMission(missionID: mission.id, userIDs: [world.members[1].id])
    let code = CreateInvitation(missionID: mission.id)
    #expect(try await world.refusal(of: invite, as: 0) == "invalid_argument")
    #expect(try await world.refusal(of: code, as: 0) == "invalid_argument")
    #expect(try await world.refusal(of: JoinMission(missionID: mission.id), as: 1) == "not_found")
    // Made private later: who is in stays in, everybody else is out.
    var update = UpdateMission(missionID: mission.id)
    update.visibility = .friends
    try await world.call(update, as: 0)
    try await world.invite(1, to: mission.id)
    for member in [2, 3] { try await world.join(mission.id, as: member) }
    try await world.call(LeaveMission(missionID: mission.id), as: 3)
    let made = try await world.result(of: code, as: 0)
    update.visibility = .private
    let private_ = try await world.result(of: update, as: 0)
    #expect(private_.members.map(\.username) == ["person_0", "person_2"])
    #expect(try await world.mission(mission.id, as: 2).myState == .joined)
    for member in [1, 3] {
      #expect(
        try await world.refusal(of: FetchMission(missionID: mission.id), as: member) == "not_found")
    }
    #expect(try await world.refusal(of: FetchInvitation(code: made.code), as: 1) == "not_found")
    #expect(try await world.result(of: FetchInvitations(), as: 0).isEmpty)
  }

  // MARK: - Blocks

  @Test func `people who block each other do not exist for each other in a mission`() async throws {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "x", count: 9)]))
    for member in [1, 2] { try await world.join(mission.id, as: member) }
    let objective = mission.objectives[0].id
    for member in [1, 2] {
      try await world.call(
        SayInMission(missionID: mission.id, text: "I am \(member)"), as: member)
      try await world.call(
        CheckIn(missionID: mission.id, objectiveID: objective, at: .lisbon, accuracyMetres: 1),
        as: member)
    }
    try await world.block(2, by: 1)
    for (reader, other) in [(1, 2), (2, 1)] {
      let seen = try await world.mission(mission.id, as: reader)
      #expect(seen.memberCount == 2)
      #expect(seen.members.map(\.userID).contains(world.members[other].id) == false)
      #expect(seen.members.count == 2)
      #expect(seen.creatorID != nil)
      let lines = try await world.result(
        of: FetchMissionActivity(missionID: mission.id), as: reader)
      #expect(lines.allSatisfy { $0.userID != world.members[other].id })
      #expect(lines.count == 4)
      let all = try await world.result(of: FetchMissionActivity(), as: reader)
      #expect(all == lines)
    }
    #expect(try await world.mission(mission.id, as: 1).objectives[0].lastBy == nil)
    #expect(try await world.mission(mission.id, as: 1).objectives[0].lastAt == nil)
    #expect(
      try await world.mission(mission.id, as: 2).objectives[0].lastBy
        == world.members[2].id)
    #expect(try await world.mission(mission.id, as: 0).members.count == 3)
    #expect(try await world.lines(of: mission.id, as: 0).count == 7)
    // And the mission goes on.
    #expect(
      try await world.result(
        of: CheckIn(missionID: mission.id, objectiveID: objective, at: .lisbon, accuracyMetres: 1),
        as: 1
      ).objectives[0].checkIns == 3)
    try await world.call(UnblockUser(userID: world.members[2].id), as: 1)
    #expect(try await world.mission(mission.id, as: 1).members.count == 3)
  }

  @Test func `a member goes on without the creator who blocked them`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    try await world.block(1, by: 0)
    let seen = try await world.mission(mission.id, as: 1)
    #expect(seen.creatorID == nil)
    #expect(seen.members.map(\.username) == ["person_1"])
    #expect(seen.memberCount == 1)
    #expect(
      try await world.result(of: FetchMissions(scope: .active), as: 1).map(\.id) == [mission.id])
    // Who leaves does not come back.
    #expect(try await world.refusal(of: LeaveMission(missionID: mission.id), as: 1) == nil)
    #expect(try await world.refusal(of: JoinMission(missionID: mission.id), as: 1) == "not_found")
  }

  enum Parting: CaseIterable { case unfriends, unfriended, blocks, blocked }

  @Test(arguments: Parting.allCases)
  func `invitations fall away between people who part`(_ parting: Parting) async throws {
    let world = try await ServerWorld.withFriends(3)
    try await world.befriend(1, 2)
    let mission = try await world.create(.sample(visibility: .invited))
    let declined = try await world.create(.sample(visibility: .invited))
    let kept = try await world.create(.sample(visibility: .invited))
    let joined = try await world.create(.sample(visibility: .invited))
    for id in [mission.id, declined.id, joined.id] { try await world.invite(1, to: id) }
    try await world.call(LeaveMission(missionID: declined.id), as: 1)
    try await world.join(joined.id, as: 1)
    try await world.invite(2, to: kept.id)
    try await world.join(kept.id, as: 2)
    try await world.invite(1, to: kept.id, as: 2)
    switch parting {
    case .unfriends: try await world.call(RemoveFriend(userID: world.members[0].id), as: 1)
    case .unfriended: try await world.call(RemoveFriend(userID: world.members[1].id), as: 0)
    case .blocks: try await world.block(0, by: 1)
    case .blocked: try await world.block(1, by: 0)
    }
    let isBlock = parting == .blocks || parting == .blocked
    for id in [mission.id, declined.id] {
      #expect(try await world.refusal(of: FetchMission(missionID: id), as: 1) == "not_found")
      #expect(try await world.mission(id, as: 0).members.count == 1)
    }
    #expect(try await world.mission(joined.id, as: 1).myState == .joined)
    // Somebody else's invitation stands, unless the creator does not exist for the guest.
    #expect(
      try await world.refusal(of: FetchMission(missionID: kept.id), as: 1)
        == (isBlock ? "not_found" : nil))
    if isBlock {
      #expect(
        try await world.result(of: FetchMissions(scope: .active), as: 1).map(\.id) == [joined.id])
    }
  }

  @Test func `a repeated call answers how things stand and changes nothing`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create()
    let join = FunctionCall(JoinMission(missionID: mission.id), clientID: UUID())
    let first = try await world.result(of: join, as: 1)
    #expect(try await world.result(of: join, as: 1) == first)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await world.result(of: join, as: 1).myState == .left)
    #expect(
      try await world.refusal(
        of: JoinMission(missionID: UUID()), clientID: join.clientID, as: 1)
        == "repeat_mismatch")
    let create = FunctionCall(
      CreateMission(
        title: "x", centre: .porto, radiusMetres: 50), clientID: UUID())
    let made = try await world.result(of: create, as: 0)
    #expect(try await world.result(of: create, as: 0) == made)
    #expect(try await world.result(of: FetchMissions(scope: .active), as: 0).count == 2)
  }
}
