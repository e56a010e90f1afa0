import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct CheckInFunctionsTests {
  /// A place this many metres to the north.
  private func north(of place: Coordinate, metres: Double) -> Coordinate {
    .at(place.latitude + metres / Coordinate.earthRadius * 180 / .pi, place.longitude)
  }

  private func failure(
    _ call: CheckIn, in world: ServerWorld, as member: Int = 0
  ) async throws -> FunctionFailure {
    try await WireJSON.decode(
      FunctionFailure.self, from: Data(world.call(call, as: member).utf8))
  }

  private func call(
    _ mission: MissionRecord, _ index: Int = 0, at place: Coordinate = .lisbon,
    accuracy: Double? = 5
  ) -> CheckIn {
    CheckIn(
      missionID: mission.id, objectiveID: mission.objectives[index].id, at: place,
      accuracyMetres: accuracy)
  }

  @Test func `the distance decides, with the accuracy in one's favour up to the radius`()
    async throws
  {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(
        radius: 300,
        objectives: [
          ObjectiveInput(title: "Blue door", place: .downtown, radiusMetres: 50, count: 100),
          ObjectiveInput(title: "Anywhere", count: 100),
          ObjectiveInput(title: "Its place, our radius", place: .porto, count: 100),
        ]))
    for (index, metres, accuracy, isTaken) in [
      (0, 49.0, nil, true), (0, 52, nil, false), (0, 52, 5, true), (0, 99, 60, true),
      (0, 102, 900, false), (1, 299, 0, true), (1, 310, 0, false), (1, 590, 300, true),
      (2, 299, 0, true), (2, 310, 5, false),
    ] as [(Int, Double, Double?, Bool)] {
      let centre = [Coordinate.downtown, .lisbon, .porto][index]
      let refusal = try await world.refusal(
        of: call(mission, index, at: north(of: centre, metres: metres), accuracy: accuracy), as: 0)
      #expect(refusal == (isTaken ? nil : "outside"), "\(index) \(metres) \(accuracy ?? -1)")
    }
  }

  @Test func `a refusal says how far it is`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(
        objectives: [ObjectiveInput(title: "Blue door", place: .downtown, radiusMetres: 50)]))
    let near = try await failure(
      call(mission, at: north(of: .downtown, metres: 240)), in: world)
    #expect(near.message == "You are 240 m away; Blue door takes 50 m.")
    #expect(near.details == "distance_m=240")
    #expect(near.reason == .outside)
    let far = try await failure(
      call(mission, at: north(of: .downtown, metres: 1234)), in: world)
    #expect(far.message == "You are 1.2 km away; Blue door takes 50 m.")
    let farthest = try await failure(
      call(mission, at: north(of: .downtown, metres: 123_456)), in: world)
    #expect(farthest.message == "You are 123 km away; Blue door takes 50 m.")
    let vague = try await failure(call(mission, at: .downtown, accuracy: 1001), in: world)
    #expect(vague.reason == .tooVague)
    #expect(
      vague.message
        == "Your position is only known to 1 km; a check-in takes 1 km or better.")
    var bad = call(mission)
    bad.latitude = 90.1
    #expect(try await failure(bad, in: world).reason == .invalidArgument)
    #expect(try await failure(call(mission, accuracy: -1), in: world).reason == .invalidArgument)
    #expect(try await world.lines(of: mission.id, as: 0) == [.created])
  }

  @Test func `it is possible while the mission runs, for members`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let start = world.now.advanced(by: .seconds(60))
    let mission = try await world.create(
      .sample(
        startsAt: start, endsAt: start.advanced(by: .seconds(60)),
        objectives: [ObjectiveInput(title: "x", count: 5)]))
    #expect(try await world.refusal(of: call(mission), as: 1) == "not_member")
    #expect(try await world.refusal(of: call(mission), as: 0) == "not_started")
    world.wait(seconds: 60)
    #expect(try await world.refusal(of: call(mission), as: 0) == nil)
    var unknown = call(mission)
    unknown.objectiveID = UUID()
    #expect(try await world.refusal(of: unknown, as: 0) == "not_found")
    world.wait(seconds: 60)
    #expect(try await world.refusal(of: call(mission), as: 0) == "mission_over")
  }

  @Test func `every check-in counts until the last completes the mission`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(
      .sample(objectives: [
        ObjectiveInput(title: "Twice", count: 2), ObjectiveInput(title: "Once"),
      ]))
    try await world.join(mission.id, as: 1)
    world.wait(seconds: 1)
    let first = try await world.result(of: call(mission), clientID: UUID(), as: 1)
    #expect(first.objectives.map(\.checkIns) == [1, 0])
    #expect(first.objectives[0].lastBy == world.members[1].id)
    #expect(first.objectives[0].lastAt == world.now)
    let second = try await world.result(of: call(mission), clientID: UUID(), as: 1)
    #expect(second.objectives.map(\.checkIns) == [2, 0])
    #expect(second.state == .open)
    // Done already: unchanged, from anywhere.
    #expect(try await world.result(of: call(mission, at: .porto), as: 0).version == second.version)
    world.wait(seconds: 1)
    let last = try await world.result(of: call(mission, 1), as: 0)
    #expect(last.state == .completed)
    #expect(last.closedAt == world.now)
    #expect(last.progress == (3, 3))
    let lines = try await world.result(of: FetchMissionActivity(missionID: mission.id), as: 1)
    #expect(
      lines.map(\.kind) == [.completed, .checkedIn, .checkedIn, .checkedIn, .joined, .created])
    #expect(lines[0].userID == world.members[0].id)
    #expect(lines[1].objectiveTitle == "Once")
    #expect(lines[2].username == "person_1")
    #expect(lines.allSatisfy { $0.text == nil })
    // Whoever comes a moment later asks for what is done.
    #expect(try await world.refusal(of: call(mission, 1), as: 1) == nil)
    #expect(try await world.lines(of: mission.id, as: 1).count == 6)
  }

  @Test func `a repeat counts once, whatever position it brings`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "x", count: 5)]))
    let id = UUID()
    for place in [Coordinate.lisbon, .acrossTheStreet, .porto] {
      let answer = try await world.result(
        of: call(mission, at: place), clientID: id, as: 0)
      #expect(answer.objectives[0].checkIns == 1)
    }
    let other = FunctionCall(JoinMission(missionID: mission.id), clientID: id)
    #expect(try await world.refusal(of: other, as: 0) == "repeat_mismatch")
  }

  @Test func `check-ins of somebody who left stay`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "x", count: 5)]))
    try await world.join(mission.id, as: 1)
    try await world.call(call(mission), as: 1)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    let objective = try await world.mission(mission.id, as: 0).objectives[0]
    #expect(objective.checkIns == 1)
    #expect(objective.lastBy == world.members[1].id)
    #expect(try await world.refusal(of: call(mission), as: 1) == "not_member")
  }
}
