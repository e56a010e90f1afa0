import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

/// People who act at the same moment, over HTTP, on the real server, on SQLite with a file.
@Suite(.everyEngine, .acrossNodes) struct MissionRacesTests {
  private static func withPeople(
    _ count: Int, _ body: (Person, [Person]) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rally-races-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await TestServer.with(
      configure: { if TestEngine.current == .sqlite { $0.database = .folder(folder.path) } }
    ) { server in
      let ana = try await Person.signUp("ana", on: server)
      let others = try await withThrowingTaskGroup(of: Person.self) { tasks in
        for number in 0..<count {
          tasks.addTask { try await Person.signUp("person\(number)", on: server) }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      try await body(ana, others)
    }
  }

  /// What everybody's call was refused with, all made at once.
  private static func refusals<F>(
    _ people: [Person], of call: @escaping @Sendable (Int) -> FunctionCall<F>
  ) async throws -> [String?] {
    try await withThrowingTaskGroup(of: String?.self) { tasks in
      for (number, person) in people.enumerated() {
        tasks.addTask { try await person.refusal(of: call(number)) }
      }
      return try await tasks.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `fifty join at once for five places, and five get in`() async throws {
    try await Self.withPeople(50) { ana, others in
      let code = try await ana.result(of: CreateInvitation(missionID: nil, uses: 50)).code
      let accepted = try await Self.refusals(others) { _ in
        FunctionCall(AcceptInvitation(code: code))
      }
      #expect(accepted == Array(repeating: nil, count: 50))
      // Six places, one of which is the creator's.
      let mission = try await ana.result(of: CreateMission.sample(capacity: 6))
      let refusals = try await Self.refusals(others) { _ in
        FunctionCall(JoinMission(missionID: mission.id))
      }
      #expect(refusals.count { $0 == nil } == 5)
      #expect(refusals.count { $0 == "mission_full" } == 45)
      let now = try await ana.result(of: FetchMission(missionID: mission.id))
      #expect(now.memberCount == 6)
      #expect(now.members.count == 6)
      #expect(now.version == mission.version)
    }
  }

  @Test func `a code for three lets three of twelve in, and a mission's place wins over it`()
    async throws
  {
    try await Self.withPeople(12) { ana, others in
      let code = try await ana.result(of: CreateInvitation(missionID: nil, uses: 3)).code
      let friendships = try await Self.refusals(others) { _ in
        FunctionCall(AcceptInvitation(code: code))
      }
      #expect(friendships.count { $0 == nil } == 3)
      #expect(friendships.count { $0 == "invitation_over" } == 9)
      #expect(try await ana.result(of: FetchFriends()).count == 3)
      let mission = try await ana.result(
        of: CreateMission.sample(capacity: 3, visibility: .invited))
      let open = try await ana.result(of: CreateInvitation(missionID: mission.id, uses: 9)).code
      let joins = try await Self.refusals(others) { _ in
        FunctionCall(AcceptInvitation(code: open))
      }
      #expect(joins.count { $0 == nil } == 2)
      #expect(joins.count { $0 == "mission_full" } == 10)
      #expect(
        try await ana.result(of: FetchInvitations()).first { $0.code == open }?.used == 2)
    }
  }

  @Test func `the last check-ins at once complete a mission once`() async throws {
    try await Self.withPeople(8) { ana, others in
      let mission = try await ana.result(
        of: CreateMission.sample(
          visibility: .invited, objectives: [ObjectiveInput(title: "Door", count: 5)]))
      let code = try await ana.result(of: CreateInvitation(missionID: mission.id, uses: 8)).code
      _ = try await Self.refusals(others) { _ in FunctionCall(AcceptInvitation(code: code)) }
      let objective = mission.objectives[0].id
      let refusals = try await Self.refusals(others) { _ in
        FunctionCall(
          CheckIn(
            missionID: mission.id, objectiveID: objective, at: .lisbon, accuracyMetres: 5),
          clientID: UUID())
      }
      #expect(refusals == Array(repeating: nil, count: 8))
      let now = try await ana.result(of: FetchMission(missionID: mission.id))
      #expect(now.objectives[0].checkIns == 5)
      #expect(now.state == .completed)
      let lines = try await ana.result(of: FetchMissionActivity(missionID: mission.id)).map(\.kind)
      #expect(lines.count { $0 == .checkedIn } == 5)
      #expect(lines.count { $0 == .completed } == 1)
      #expect(lines.first == .completed)
    }
  }

  @Test func `one check-in sent twenty times at once counts once`() async throws {
    try await Self.withPeople(0) { ana, _ in
      let mission = try await ana.result(
        of: CreateMission.sample(objectives: [ObjectiveInput(title: "Door", count: 50)]))
      let id = UUID()
      let objective = mission.objectives[0].id
      let refusals = try await Self.refusals(Array(repeating: ana, count: 20)) { _ in
        FunctionCall(
          CheckIn(
            missionID: mission.id, objectiveID: objective, at: .lisbon, accuracyMetres: 5),
          clientID: id)
      }
      #expect(refusals == Array(repeating: nil, count: 20))
      #expect(
        try await ana.result(of: FetchMission(missionID: mission.id)).objectives[0].checkIns == 1)
    }
  }

  @Test func `blocking against joining leaves nobody with more than the rules say`() async throws {
    try await Self.withPeople(1) { ana, others in
      let ben = others[0]
      for _ in 0..<15 {
        try await ana.befriend(ben)
        let mission = try await ana.result(of: CreateMission.sample())
        async let blocking = ana.refusal(of: BlockUser(userID: ben.id))
        async let joining = ben.refusal(of: JoinMission(missionID: mission.id))
        let (blocked, joined) = try await (blocking, joining)
        #expect(blocked == nil)
        #expect(joined == nil || joined == "not_found")
        let now = try await ana.result(of: FetchMission(missionID: mission.id))
        #expect(now.members.count == 1)
        #expect(now.memberCount == 1)
        _ = try await ana.result(of: UnblockUser(userID: ben.id))
      }
    }
  }
}
