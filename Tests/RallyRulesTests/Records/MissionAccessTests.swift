import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// Everybody who can stand to a mission in some way, against every function.
@Suite(.everyEngine) struct MissionAccessTests {
  /// The creator comes last, so that what only they can do is tried by the others before.
  enum Role: Int, CaseIterable {
    case friend, invited, member, left, stranger, blocked, blocker, blockedMember, blockingGuest
    case creator

    func sees(_ visibility: MissionVisibility) -> Bool {
      switch self {
      case .creator, .member, .invited, .left, .blockedMember: true
      case .friend: visibility == .friends
      case .stranger, .blocked, .blocker, .blockingGuest: false
      }
    }

    var isJoined: Bool { [.creator, .member, .blockedMember].contains(self) }
  }

  private static func world(
    _ visibility: MissionVisibility
  ) async throws -> (ServerWorld, MissionRecord) {
    let world = try await ServerWorld(members: Role.allCases.count, at: ServerWorld.noon)
    func befriend(_ a: Role, _ b: Role) async throws {
      try await world.befriend(a.rawValue, b.rawValue)
    }
    for role in [Role.friend, .member, .blocked, .blocker, .blockedMember] {
      try await befriend(.creator, role)
    }
    for role in [Role.invited, .left, .blockingGuest] { try await befriend(.member, role) }
    let creator = Role.creator.rawValue
    let mission = try await world.create(
      .sample(visibility: visibility, objectives: [ObjectiveInput(title: "Door", count: 100)]),
      as: creator)
    for role in [Role.member, .blockedMember] {
      try await world.invite(role.rawValue, to: mission.id, as: creator)
      try await world.join(mission.id, as: role.rawValue)
    }
    for role in [Role.invited, .left, .blockingGuest] {
      try await world.invite(role.rawValue, to: mission.id, as: Role.member.rawValue)
    }
    try await world.join(mission.id, as: Role.left.rawValue)
    try await world.call(LeaveMission(missionID: mission.id), as: Role.left.rawValue)
    try await world.block(creator, by: Role.blockingGuest.rawValue)
    try await world.block(creator, by: Role.blocker.rawValue)
    try await world.block(Role.blocked.rawValue, by: creator)
    try await world.block(Role.blockedMember.rawValue, by: creator)
    return (world, mission)
  }

  /// What each function refuses with; nil for nothing.
  private static func refusals(
    _ visibility: MissionVisibility,
    of call: (MissionRecord) -> some RemoteFunction, expected: (Role) -> String?
  ) async throws {
    let (world, mission) = try await world(visibility)
    for role in Role.allCases {
      let function = call(mission)
      #expect(
        try await world.refusal(of: function, as: role.rawValue)
          == (role.sees(visibility) ? expected(role) : "not_found"),
        "\(type(of: function).name) by \(role), for \(visibility)")
    }
  }

  @Test(arguments: [MissionVisibility.invited, .friends])
  func `every function answers everybody as they stand to the mission`(
    _ visibility: MissionVisibility
  ) async throws {
    func check(
      _ call: (MissionRecord) -> some RemoteFunction, _ expected: (Role) -> String?
    ) async throws {
      try await Self.refusals(visibility, of: call, expected: expected)
    }
    func creatorOnly(_ role: Role) -> String? { role == .creator ? nil : "not_creator" }
    func membersOnly(_ role: Role) -> String? { role.isJoined ? nil : "not_member" }
    try await check({ FetchMission(missionID: $0.id) }) { _ in nil }
    try await check({ JoinMission(missionID: $0.id) }) { _ in nil }
    try await check({ LeaveMission(missionID: $0.id) }) {
      $0 == .creator ? "creator_stays" : $0 == .friend ? "not_member" : nil
    }
    try await check({ UpdateMission(missionID: $0.id) }, creatorOnly)
    try await check({ CancelMission(missionID: $0.id) }, creatorOnly)
    try await check({ CompleteMission(missionID: $0.id) }, creatorOnly)
    try await check({ InviteToMission(missionID: $0.id, userIDs: []) }, membersOnly)
    try await check({ CreateInvitation(missionID: $0.id) }, membersOnly)
    try await check({ FetchMissionActivity(missionID: $0.id) }, membersOnly)
    try await check({ SayInMission(missionID: $0.id, text: "hello") }, membersOnly)
    try await check(
      {
        CheckIn(
          missionID: $0.id, objectiveID: $0.objectives[0].id, at: .lisbon, accuracyMetres: 5)
      }, membersOnly)
  }

  @Test(arguments: [MissionVisibility.invited, .friends])
  func `lists show what can be seen and nothing else`(
    _ visibility: MissionVisibility
  ) async throws {
    let (world, _) = try await Self.world(visibility)
    for role in Role.allCases {
      func count(_ scope: MissionScope) async throws -> Int {
        try await world.result(of: FetchMissions(scope: scope, around: .lisbon), as: role.rawValue)
          .count
      }
      #expect(try await count(.nearby) == (role.sees(visibility) ? 1 : 0), "\(role)")
      #expect(try await count(.active) == (role.isJoined || role == .invited ? 1 : 0), "\(role)")
      #expect(try await count(.done) == 0)
      #expect(
        try await world.result(of: FetchMissionActivity(), as: role.rawValue).isEmpty
          == !role.isJoined, "\(role)")
    }
    try await world.call(
      CompleteMission(missionID: try await Self.only(in: world)), as: Role.creator.rawValue)
    for role in Role.allCases {
      let done = try await world.result(of: FetchMissions(scope: .done), as: role.rawValue)
      #expect(done.count == (role.isJoined ? 1 : 0), "\(role)")
    }
  }

  private static func only(in world: ServerWorld) async throws -> UUID {
    try #require(
      try await world.result(of: FetchMissions(scope: .active), as: Role.creator.rawValue).first
    ).id
  }

  @Test func `who does not see a mission gets the very answer of an unknown one`() async throws {
    let (world, mission) = try await Self.world(.invited)
    func answer(_ id: UUID, to role: Role) async throws -> [String] {
      [
        try await world.call(FetchMission(missionID: id), as: role.rawValue),
        try await world.call(JoinMission(missionID: id), as: role.rawValue),
        try await world.call(LeaveMission(missionID: id), as: role.rawValue),
        try await world.call(CancelMission(missionID: id), as: role.rawValue),
        try await world.call(SayInMission(missionID: id, text: "x"), as: role.rawValue),
        try await world.call(CreateInvitation(missionID: id), as: role.rawValue),
        try await world.call(FetchMissionActivity(missionID: id), as: role.rawValue),
        try await world.call(
          CheckIn(missionID: id, objectiveID: UUID(), at: .lisbon, accuracyMetres: 1),
          as: role.rawValue),
      ]
    }
    for role in [Role.friend, .stranger, .blocked, .blocker, .blockingGuest] {
      #expect(
        try await answer(mission.id, to: role) == (try await answer(UUID(), to: role)), "\(role)")
    }
  }

  @Test func `those who are no members see counts, not who and when`() async throws {
    let (world, mission) = try await Self.world(.friends)
    try await world.call(
      CheckIn(
        missionID: mission.id, objectiveID: mission.objectives[0].id, at: .lisbon,
        accuracyMetres: 5), as: Role.member.rawValue)
    for role in [Role.friend, .invited, .left] {
      let objective = try await world.mission(mission.id, as: role.rawValue).objectives[0]
      #expect(objective.checkIns == 1)
      #expect(objective.lastBy == nil)
      #expect(objective.lastAt == nil)
    }
    let objective = try await world.mission(mission.id, as: Role.creator.rawValue).objectives[0]
    #expect(objective.lastBy == world.members[Role.member.rawValue].id)
    #expect(objective.lastAt == world.now)
  }

  @Test func `nothing about missions is answered without an account`() async throws {
    try await TestServer.with { server in
      let client = RawClient(server)
      let id = UUID()
      let replies = [
        try await client.call(CreateMission.sample()),
        try await client.call(FetchMission(missionID: id)),
        try await client.call(FetchMissions(scope: .nearby, around: .lisbon)),
        try await client.call(JoinMission(missionID: id)),
        try await client.call(FetchMissionActivity()),
        try await client.call(SayInMission(missionID: id, text: "x")),
        try await client.call(CreateInvitation(missionID: nil)),
        try await client.call(FetchInvitation(code: try InvitationCode("7QK2MX9PTF"))),
        try await client.call(AcceptInvitation(code: try InvitationCode("7QK2MX9PTF"))),
        try await client.call(
          CheckIn(missionID: id, objectiveID: id, at: .lisbon, accuracyMetres: nil)),
      ]
      #expect(replies.map(\.status) == Array(repeating: 401, count: replies.count))
    }
  }
}
