import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct MissionActivityFunctionsTests {
  private func say(_ text: String, in id: UUID, of world: ServerWorld, as member: Int = 0)
    async throws
    -> MissionActivityRecord
  {
    try await world.result(of: SayInMission(missionID: id, text: text), as: member)
  }

  @Test func `what is said is cleaned and told as it is stored`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create()
    let line = try await say(" On my\n\u{1B}[31mway \u{202E} ", in: mission.id, of: world)
    #expect(line.text == "On my [31mway")
    #expect(line.kind == .said)
    #expect(line.missionTitle == "Tiles")
    #expect(line.username == "person_0")
    #expect(
      try await world.result(of: FetchMissionActivity(missionID: mission.id), as: 0).first == line)
    for text in ["", " \n ", String(repeating: "x", count: 501)] {
      #expect(
        try await world.refusal(of: SayInMission(missionID: mission.id, text: text), as: 0)
          == "invalid_argument")
    }
    let call = FunctionCall(SayInMission(missionID: mission.id, text: "once"), clientID: UUID())
    let first = try await world.result(of: call, as: 0)
    #expect(try await world.result(of: call, as: 0) == first)
    #expect(try await world.lines(of: mission.id, as: 0).count == 3)
  }

  @Test func `no two lines have the same time, even when the clock goes back`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create()
    var times: [WireTime] = []
    for step in 0..<6 {
      if step == 3 { world.now = world.now.advanced(by: .seconds(-3600)) }
      times.append(try await say("\(step)", in: mission.id, of: world).createdAt)
    }
    #expect(times == Array(Set(times)).sorted())
  }

  @Test func `a day after the end nothing more can be said, and all can be read`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let closed = try await world.create()
    let ended = try await world.create(.sample(endsAt: world.now.advanced(by: .seconds(60))))
    try await world.call(CompleteMission(missionID: closed.id), as: 0)
    world.wait(seconds: 86_399)
    for id in [closed.id, ended.id] { _ = try await say("still", in: id, of: world) }
    world.wait(seconds: 1)
    #expect(
      try await world.refusal(of: SayInMission(missionID: closed.id, text: "x"), as: 0)
        == "mission_over")
    _ = try await say("still", in: ended.id, of: world)
    world.wait(seconds: 60)
    #expect(
      try await world.refusal(of: SayInMission(missionID: ended.id, text: "x"), as: 0)
        == "mission_over")
    #expect(try await world.lines(of: closed.id, as: 0) == [.said, .completed, .created])
  }

  // MARK: - Pages

  @Test func `pages of one mission and of all meet without gap or overlap`() async throws {
    let world = try await ServerWorld.withFriends(2)
    var numbers = SeededGenerator(seed: 5)
    var missions: [UUID] = []
    for number in 0..<6 { missions.append(try await world.create(.sample("\(number)")).id) }
    // One that the reader has left, and one they were never in.
    for id in missions[0..<5] { try await world.join(id, as: 1) }
    try await world.call(LeaveMission(missionID: missions[4]), as: 1)
    for step in 0..<80 {
      let id = missions[Int.random(in: 0..<6, using: &numbers)]
      if Bool.random(using: &numbers) { world.wait(seconds: 1) }
      _ = try await say("\(step)", in: id, of: world)
    }
    func pages(_ mission: UUID?, of size: Int) async throws -> [[MissionActivityRecord]] {
      var pages: [[MissionActivityRecord]] = []
      while pages.last.map({ !$0.isEmpty }) ?? true {
        pages.append(
          try await world.result(
            of: FetchMissionActivity(
              missionID: mission, before: pages.last?.last?.createdAt, limit: size), as: 1))
      }
      return pages
    }
    let all = try await world.result(of: FetchMissionActivity(limit: 200), as: 1)
    #expect(Set(all.map(\.missionID)) == Set(missions[0..<4]))
    #expect(all.map(\.createdAt) == all.map(\.createdAt).sorted(by: >))
    for size in [1, 3, 7, 50] {
      let pages = try await pages(nil, of: size)
      #expect(pages.flatMap(\.self) == all)
      #expect(pages.dropLast(2).allSatisfy { $0.count == size })
    }
    for id in missions[0..<4] {
      #expect(
        try await pages(id, of: 4).flatMap(\.self) == all.filter { $0.missionID == id })
    }
    #expect(try await world.result(of: FetchMissionActivity(limit: 0), as: 1).isEmpty)
    #expect(
      try await world.refusal(of: FetchMissionActivity(limit: -1), as: 1) == "invalid_argument")
  }

  @Test func `a blocked person's lines leave no holes in a page`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    for member in [1, 2] { try await world.join(mission.id, as: member) }
    for step in 0..<30 {
      _ = try await say("\(step)", in: mission.id, of: world, as: step % 5 == 0 ? 1 : 2)
    }
    try await world.block(2, by: 1)
    for id in [mission.id, nil] {
      let page = try await world.result(of: FetchMissionActivity(missionID: id, limit: 5), as: 1)
      #expect(page.map(\.text) == ["25", "20", "15", "10", "5"])
    }
  }
}
