import Foundation
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Two people who block each other in one mission: what one does, the other learns no who and when of.
@Suite(.everyEngine) struct MissionStrangersTests {
  /// Three people in a mission of the first one's; the third blocked the second.
  private struct Scene {
    let world: ServerWorld
    let mission: MissionRecord
    let known = 0
    let reader = 1
    let stranger = 2

    func checkIn(_ objective: Int, as member: Int) async throws {
      world.wait(seconds: 61)
      try await world.call(
        CheckIn(
          missionID: mission.id, objectiveID: mission.objectives[objective].id, at: .lisbon,
          accuracyMetres: 1), as: member)
    }

    func seen(by member: Int) async throws -> MissionRecord {
      try await world.mission(mission.id, as: member)
    }

    /// The frames since the last call.
    func heard(by member: Int) async throws -> [String] {
      try await world.turn()
      return await world.frames(for: member)
    }

    func row(for member: Int) async throws -> JSONRow {
      try #require(try await world.rows(of: .missions, as: member).first)
    }
  }

  private static func scene(
    capacity: Int? = nil,
    objectives: [ObjectiveInput] = [
      ObjectiveInput(title: "Door"), ObjectiveInput(title: "Roof"),
    ]
  ) async throws -> Scene {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create(.sample(capacity: capacity, objectives: objectives))
    for member in [1, 2] { try await world.join(mission.id, as: member) }
    try await world.block(1, by: 2)
    try await world.turn()
    for member in world.members.indices { _ = await world.frames(for: member) }
    return Scene(world: world, mission: mission)
  }

  @Test func `a stranger's check-in is found at the next look, without who and when`() async throws
  {
    let scene = try await Self.scene()
    let before = try await scene.seen(by: scene.reader)
    let row = try await scene.row(for: scene.reader)
    try await scene.checkIn(0, as: scene.stranger)

    #expect(try await scene.heard(by: scene.reader).isEmpty)
    #expect(try await scene.heard(by: scene.known).count == 2)
    var expected = before
    expected.objectives[0].checkIns = 1
    #expect(try await scene.seen(by: scene.reader) == expected)
    #expect(try await scene.row(for: scene.reader) == row)
    #expect(try await scene.seen(by: scene.known).objectives[0].lastAt == scene.world.now)
  }

  @Test func `a stranger who completes the mission tells no time`() async throws {
    let scene = try await Self.scene()
    let world = scene.world
    try await scene.checkIn(0, as: scene.stranger)
    try await scene.checkIn(1, as: scene.stranger)

    #expect(try await scene.heard(by: scene.reader).isEmpty)
    let seen = try await scene.seen(by: scene.reader)
    #expect(seen.state == .completed)
    #expect(seen.closedAt == nil)
    #expect(try await scene.row(for: scene.reader)["closed_at"] == .null)
    #expect(try await scene.seen(by: scene.known).closedAt == world.now)
    #expect(try await scene.row(for: scene.known)["closed_at"] == .string("\(world.now)"))
    // Neither does the day after which nothing more can be said.
    world.wait(seconds: 86_401)
    let word = SayInMission(missionID: scene.mission.id, text: "hello")
    #expect(try await world.refusal(of: word, as: scene.known) == "mission_over")
    #expect(try await world.refusal(of: word, as: scene.reader) == nil)
  }

  @Test func `where a stranger's mission stands among those that are done tells no time`()
    async throws
  {
    let scene = try await Self.scene()
    let world = scene.world
    var others: [UUID] = []
    for title in ["Before", "After"] {
      world.wait(seconds: 60)
      let other = try await world.create(.sample(title), as: scene.reader)
      try await world.call(CompleteMission(missionID: other.id), as: scene.reader)
      others.append(other.id)
      if others.count == 1 { for number in 0...1 { try await scene.checkIn(number, as: 2) } }
    }
    func done(as member: Int) async throws -> [UUID] {
      try await world.result(of: FetchMissions(scope: .done), as: member).map(\.id)
    }
    // It stands at its beginning, before which nothing is known.
    #expect(try await done(as: scene.reader) == others.reversed() + [scene.mission.id])
    #expect(try await done(as: scene.known) == [scene.mission.id])
  }

  @Test func `places that strangers take are full, and not counted`() async throws {
    let scene = try await Self.scene(capacity: 3)
    let world = scene.world
    let seen = try await scene.seen(by: scene.reader)
    #expect(seen.memberCount == 2)
    #expect(seen.members.count == 2)
    #expect(seen.isFull)
    #expect(try await scene.seen(by: scene.known).memberCount == 3)
    #expect(
      try await world.refusal(of: JoinMission(missionID: scene.mission.id), as: 3)
        == "mission_full")
    try await world.call(LeaveMission(missionID: scene.mission.id), as: scene.stranger)
    var expected = seen
    expected.isFull = false
    #expect(try await scene.seen(by: scene.reader) == expected)
    #expect(try await scene.heard(by: scene.reader).isEmpty)
  }

  @Test func `an account that goes leaves no more to somebody who did not know of it`() async throws
  {
    let scene = try await Self.scene()
    let world = scene.world
    try await scene.checkIn(0, as: scene.stranger)
    try await scene.checkIn(1, as: scene.stranger)
    _ = try await scene.heard(by: scene.reader)
    let lines = try await world.call(
      FetchMissionActivity(missionID: scene.mission.id), as: scene.reader)
    let seen = try await scene.seen(by: scene.reader)
    let (id, now) = (world.members[scene.stranger].caller.userID, world.now)
    _ = try await world.storage.write { try AccountDeletion.delete(id, at: now, in: $0) }

    #expect(try await scene.heard(by: scene.reader).isEmpty)
    #expect(
      try await world.call(FetchMissionActivity(missionID: scene.mission.id), as: scene.reader)
        == lines)
    #expect(try await scene.seen(by: scene.reader) == seen)
  }

  @Test func `a row of members counts its own changes`() async throws {
    let scene = try await Self.scene()
    let world = scene.world
    try await world.call(LeaveMission(missionID: scene.mission.id), as: scene.stranger)
    try await world.join(scene.mission.id, as: scene.stranger)
    let key = scene.mission.id.wireText
    let members = try await world.storage.read {
      try MissionMemberRecords.all(in: key, from: $0)
    }
    #expect(members[world.members[scene.stranger].caller.userID]?.version == 3)
    #expect(members[world.members[scene.known].caller.userID]?.version == 1)
    #expect(try await scene.seen(by: scene.known).version == scene.mission.version)
  }
}
