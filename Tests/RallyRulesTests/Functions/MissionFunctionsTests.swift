import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

@Suite(.everyEngine) struct MissionFunctionsTests {
  // MARK: - Making

  @Test func `a new mission has its creator in it and says so`() async throws {
    let world = try await ServerWorld.withFriends(1)
    var call = CreateMission(
      title: "  Tiles of\nLisbon ", centre: .lisbon, radiusMetres: 500,
      endsAt: world.now.advanced(by: .seconds(3600)), capacity: 5,
      objectives: [
        ObjectiveInput(title: "Blue door", place: .downtown, radiusMetres: 50),
        ObjectiveInput(title: "Nine cats", count: 9),
      ])
    call.brief = "Find them"
    let mission = try await world.create(call)
    #expect(mission.title == "Tiles of Lisbon")
    #expect(mission.brief == "Find them")
    #expect(mission.centre == .lisbon)
    #expect(mission.creatorID == world.members[0].id)
    #expect(mission.startsAt == world.now)
    #expect(mission.visibility == .invited)
    #expect(mission.state == .open)
    #expect(mission.version == 1)
    #expect(mission.memberCount == 1)
    #expect(mission.myState == .joined)
    #expect(mission.members.map(\.username) == ["person_0"])
    #expect(mission.members.first?.joinedAt == world.now)
    #expect(mission.objectives.map(\.title) == ["Blue door", "Nine cats"])
    #expect(mission.objectives.map(\.count) == [1, 9])
    #expect(mission.objectives.map(\.radiusMetres) == [50, nil])
    #expect(mission.objectives.map(\.ownPlace) == [.downtown, nil])
    #expect(mission.objectives.map(\.checkIns) == [0, 0])
    #expect(try await world.mission(mission.id, as: 0) == mission)
    #expect(try await world.lines(of: mission.id, as: 0) == [.created])
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var call: CreateMission
    var says: String
    var testDescription: String { says }

    init(_ says: String, _ change: (inout CreateMission) -> Void) {
      var call = CreateMission.sample()
      change(&call)
      self.call = call
      self.says = says
    }

    static func objective(_ says: String, _ input: ObjectiveInput) -> Bad {
      Bad(says) { $0.objectives = [input] }
    }
  }

  private static let bad: [Bad] = [
    Bad("title") { $0.title = " \u{7} " },
    Bad("at most 60") { $0.title = String(repeating: "x", count: 61) },
    Bad("at most 500") { $0.brief = String(repeating: "x", count: 501) },
    Bad("-90...90") { $0.latitude = 91 },
    Bad("-90...90") { $0.longitude = -181 },
    Bad("radius") { $0.radiusMetres = 9.9 },
    Bad("radius") { $0.radiusMetres = 100_001 },
    Bad("places") { $0.capacity = 0 },
    Bad("places") { $0.capacity = 1001 },
    Bad("after the start") {
      $0.startsAt = ServerWorld.noon.advanced(by: .seconds(60))
      $0.endsAt = ServerWorld.noon.advanced(by: .seconds(60))
    },
    Bad("in the future") {
      $0.startsAt = ServerWorld.noon.advanced(by: .seconds(-60))
      $0.endsAt = ServerWorld.noon
    },
    Bad("366 days") { $0.endsAt = ServerWorld.noon.advanced(by: .seconds(366 * 86_400 + 1)) },
    Bad("at most 50") {
      $0.objectives = (0...50).map { ObjectiveInput(title: "Number \($0)") }
    },
    .objective("Objective 1: Say", ObjectiveInput(title: "")),
    .objective("none with this id", ObjectiveInput(id: UUID(), title: "x")),
    .objective("10 m", ObjectiveInput(title: "x", place: .lisbon, radiusMetres: 5)),
    .objective("place of its own", ObjectiveInput(title: "x", radiusMetres: 50)),
    .objective("1 to 10000", ObjectiveInput(title: "x", count: 0)),
    .objective("1 to 10000", ObjectiveInput(title: "x", count: 10_001)),
  ]

  @Test(arguments: bad)
  func `what cannot be is refused with what to write instead`(_ bad: Bad) async throws {
    let world = try await ServerWorld.withFriends(1)
    let answer = try await world.call(bad.call, as: 0)
    let failure = try WireJSON.decode(FunctionFailure.self, from: Data(answer.utf8))
    #expect(failure.reason == .invalidArgument)
    #expect(failure.message.contains(bad.says), "\(failure.message)")
    #expect(try await world.result(of: FetchMissions(scope: .active), as: 0).isEmpty)
  }

  @Test func `half a place is refused`() async throws {
    let world = try await ServerWorld.withFriends(1)
    var objective = ObjectiveInput(title: "x")
    objective.latitude = 3
    var call = CreateMission.sample()
    call.objectives = [objective]
    #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
    var update = UpdateMission(missionID: try await world.create().id)
    update.longitude = 3
    #expect(try await world.refusal(of: update, as: 0) == "invalid_argument")
  }

  // MARK: - Changing

  @Test func `an update keeps what it does not name, and null takes away`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let end = world.now.advanced(by: .seconds(3600))
    let mission = try await world.create(.sample(endsAt: end, capacity: 5))
    var update = UpdateMission(missionID: mission.id)
    update.title = "Doors"
    var expected = mission
    expected.fields.title = "Doors"
    expected.version = 2
    #expect(try await world.result(of: update, as: 0) == expected)
    // The same again changes nothing.
    #expect(try await world.result(of: update, as: 0) == expected)

    var clear = UpdateMission(missionID: mission.id)
    clear.endsAt = .clear
    clear.capacity = .clear
    expected.fields.endsAt = nil
    expected.fields.capacity = nil
    expected.version = 3
    #expect(try await world.result(of: clear, as: 0) == expected)

    var all = UpdateMission(missionID: mission.id)
    all.brief = "New"
    all.latitude = Coordinate.porto.latitude
    all.longitude = Coordinate.porto.longitude
    all.radiusMetres = 77
    all.startsAt = world.now.advanced(by: .seconds(60))
    all.endsAt = .set(end)
    all.capacity = .set(3)
    all.visibility = .invited
    let changed = try await world.result(of: all, as: 0)
    #expect(changed.brief == "New")
    #expect(changed.centre == .porto)
    #expect(changed.radiusMetres == 77)
    #expect(changed.phase(at: world.now) == .upcoming)
    #expect(changed.endsAt == end)
    #expect(changed.capacity == 3)
    #expect(changed.visibility == .invited)
    #expect(changed.version == 4)
  }

  @Test func `objectives keep their check-ins by id, and new ones begin at none`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(objectives: [
        ObjectiveInput(title: "One", count: 3), ObjectiveInput(title: "Two"),
      ]))
    let (one, two) = (mission.objectives[0], mission.objectives[1])
    _ = try await world.result(
      of: CheckIn(missionID: mission.id, objectiveID: one.id, at: .lisbon, accuracyMetres: 5),
      as: 0)
    var update = UpdateMission(missionID: mission.id)
    update.objectives = [
      ObjectiveInput(title: "Three"), ObjectiveInput(id: one.id, title: "First", count: 2),
    ]
    let changed = try await world.result(of: update, as: 0)
    #expect(changed.objectives.map(\.title) == ["Three", "First"])
    #expect(changed.objectives.map(\.checkIns) == [0, 1])
    #expect(changed.objectives[1].id == one.id)
    #expect(changed.objectives[0].id != two.id)

    // Ids of another mission, and one twice.
    let other = try await world.create(.sample(objectives: [ObjectiveInput(title: "x")]))
    for inputs in [
      [ObjectiveInput(id: other.objectives[0].id, title: "x")],
      [ObjectiveInput(id: one.id, title: "x"), ObjectiveInput(id: one.id, title: "y")],
    ] {
      update.objectives = inputs
      #expect(try await world.refusal(of: update, as: 0) == "invalid_argument")
    }
    #expect(try await world.mission(mission.id, as: 0) == changed)
    #expect(try await world.mission(other.id, as: 0) == other)
  }

  @Test func `taking out the last thing to do completes the mission`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(objectives: [ObjectiveInput(title: "One"), ObjectiveInput(title: "Two")]))
    let one = mission.objectives[0]
    _ = try await world.result(
      of: CheckIn(missionID: mission.id, objectiveID: one.id, at: .lisbon, accuracyMetres: nil),
      as: 0)
    var update = UpdateMission(missionID: mission.id)
    update.objectives = [ObjectiveInput(id: one.id, title: "One")]
    #expect(try await world.result(of: update, as: 0).state == .completed)
    #expect(try await world.lines(of: mission.id, as: 0) == [.completed, .checkedIn, .created])
  }

  @Test func `only the creator changes and closes a mission, while it is open`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(
      .sample(endsAt: world.now.advanced(by: .seconds(3600))))
    try await world.join(mission.id, as: 1)
    let update = UpdateMission(missionID: mission.id)
    #expect(try await world.refusal(of: update, as: 1) == "not_creator")
    #expect(
      try await world.refusal(of: CancelMission(missionID: mission.id), as: 1) == "not_creator")
    #expect(
      try await world.refusal(of: CompleteMission(missionID: mission.id), as: 1) == "not_creator")
    world.wait(seconds: 3600)
    #expect(try await world.refusal(of: update, as: 0) == "mission_over")
    #expect(
      try await world.refusal(of: CompleteMission(missionID: mission.id), as: 0)
        == "mission_over")
  }

  @Test func `fewer places than people are refused`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    var update = UpdateMission(missionID: mission.id)
    update.capacity = .set(1)
    #expect(try await world.refusal(of: update, as: 0) == "invalid_argument")
    update.capacity = .set(2)
    #expect(try await world.refusal(of: update, as: 0) == nil)
    #expect(
      try await world.refusal(of: JoinMission(missionID: mission.id), as: 2) == "mission_full")
  }

  // MARK: - Closing

  @Test func `completing and cancelling close once, and closing again is harmless`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let done = try await world.create()
    world.wait(seconds: 60)
    let closed = try await world.result(of: CompleteMission(missionID: done.id), as: 0)
    #expect(closed.state == .completed)
    #expect(closed.closedAt == world.now)
    #expect(try await world.result(of: CompleteMission(missionID: done.id), as: 0) == closed)
    #expect(
      try await world.refusal(of: CancelMission(missionID: done.id), as: 0) == "mission_over")
    let off = try await world.create()
    #expect(
      try await world.result(of: CancelMission(missionID: off.id), as: 0).state == .cancelled)
    #expect(
      try await world.lines(of: nil, as: 0) == [.cancelled, .created, .completed, .created])
  }

  @Test func `a mission that has not started can be cancelled, not completed`() async throws {
    let world = try await ServerWorld.withFriends(1)
    let mission = try await world.create(
      .sample(startsAt: world.now.advanced(by: .seconds(60))))
    #expect(
      try await world.refusal(of: CompleteMission(missionID: mission.id), as: 0) == "not_started")
    #expect(try await world.refusal(of: CancelMission(missionID: mission.id), as: 0) == nil)
  }

  // MARK: - Lists

  @Test func `active has what is open, the one that ends first on top`() async throws {
    let world = try await ServerWorld.withFriends(2)
    func create(_ title: String, ends: Int64?, as member: Int = 0) async throws -> UUID {
      try await world.create(
        .sample(title, endsAt: ends.map { world.now.advanced(by: .seconds($0)) }), as: member
      ).id
    }
    _ = try await create("endless", ends: nil)
    _ = try await create("late", ends: 7200)
    _ = try await create("soon", ends: 60)
    let invited = try await create("invited", ends: 3600, as: 1)
    try await world.invite(0, to: invited, as: 1)
    _ = try await create("not mine", ends: 10, as: 1)
    let cancelled = try await create("cancelled", ends: nil)
    try await world.call(CancelMission(missionID: cancelled), as: 0)
    func titles(_ scope: MissionScope, limit: Int? = nil, offset: Int? = nil) async throws
      -> [String]
    {
      try await world.result(
        of: FetchMissions(scope: scope, limit: limit, offset: offset), as: 0
      ).map(\.title)
    }
    #expect(try await titles(.active) == ["soon", "invited", "late", "endless"])
    #expect(try await titles(.active, limit: 2, offset: 1) == ["invited", "late"])
    #expect(try await titles(.done) == ["cancelled"])
    world.wait(seconds: 3600)
    #expect(try await titles(.active) == ["late", "endless"])
    // An invitation that was never taken up is none of those I was in.
    #expect(try await titles(.done) == ["soon", "cancelled"])
  }
}
