import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct NearbyMissionsTests {
  private func nearby(
    _ world: ServerWorld, around place: Coordinate, radius: Double? = nil, limit: Int? = nil,
    offset: Int? = nil, as member: Int = 1
  ) async throws -> [MissionRecord] {
    try await world.result(
      of: FetchMissions(
        scope: .nearby, around: place, radiusMetres: radius, limit: limit, offset: offset),
      as: member)
  }

  /// Missions at these places, straight into the tables.
  private func fill(
    _ world: ServerWorld, by creator: Int, _ places: [Coordinate],
    visibility: MissionVisibility = .friends
  ) async throws {
    let id = world.members[creator].caller.userID
    let now = world.now
    try await world.storage.write { database in
      for (number, place) in places.enumerated() {
        var fields = MissionFields(
          title: "\(number)", centre: place, radiusMetres: 50, startsAt: now)
        fields.visibility = visibility
        let mission = StoredMission(id: UUID(), creator: id, fields: fields, createdAt: now)
        try MissionRecords.insert(mission, in: database)
        try MissionMemberRecords.set(
          StoredMember(userID: id, state: .joined, broughtBy: id, joinedAt: now), in: mission,
          to: database)
      }
    }
  }

  @Test func `the nearest come first, over the antimeridian and the pole`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let places = [
      Coordinate.at(-17.1, 179.9), .at(-17.1, -179.95), .at(-17.2, 179.5), .at(89.9, 0),
      .at(89.95, 180), .at(89, -90), .lisbon, .porto,
    ]
    try await fill(world, by: 0, places)
    func titles(_ place: Coordinate, radius: Double?) async throws -> [String] {
      try await nearby(world, around: place, radius: radius).map(\.title)
    }
    #expect(try await titles(.at(-17.1, 179.99), radius: 100_000) == ["1", "0", "2"])
    #expect(try await titles(.at(-17.1, -179.9), radius: 100_000) == ["1", "0", "2"])
    #expect(try await titles(.at(90, 77), radius: 200_000) == ["4", "3", "5"])
    #expect(try await titles(.lisbon, radius: nil) == ["6"])
    #expect(try await titles(.lisbon, radius: 300_000) == ["6", "7"])
    #expect(try await titles(.lisbon, radius: 20_100_000).count == 8)
    #expect(try await titles(.downtown, radius: 1).isEmpty)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `it answers what measuring everything would`(_ seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld.withFriends(3, strangers: 1)
    try await world.befriend(1, 2)
    // A crowd around one place and some all over the world; strangers' are not to be seen.
    func crowd(_ count: Int, spread: Double) -> [Coordinate] {
      (0..<count).map { _ in
        .at(
          38.7 + .random(in: -spread...spread, using: &numbers),
          -9.1 + .random(in: -spread...spread, using: &numbers))
      }
    }
    func anywhere(_ count: Int) -> [Coordinate] {
      (0..<count).map { _ in
        .at(.random(in: -90...90, using: &numbers), .random(in: -180..<180, using: &numbers))
      }
    }
    let visible = [crowd(1000, spread: 0.5) + anywhere(200), crowd(900, spread: 0.02)]
    try await fill(world, by: 0, visible[0])
    try await fill(world, by: 2, visible[1])
    try await fill(world, by: 3, crowd(500, spread: 0.1))
    try await fill(world, by: 0, crowd(50, spread: 0.1), visibility: .invited)
    let all = visible.flatMap(\.self)
    for centre in [Coordinate.at(38.7, -9.1), .at(38.2, -9.6), .porto, .at(-80, 170)] {
      for radius in [2000, 50_000, 20_100_000.0] {
        let expected = all.map { centre.distance(to: $0) }.filter { $0 <= radius }.sorted()
        for (limit, offset) in [(20, 0), (7, 40), (60, 1500)] {
          let found = try await nearby(
            world, around: centre, radius: radius, limit: limit, offset: offset)
          #expect(
            try found.map { centre.distance(to: try #require($0.centre)) }
              == Array(expected.dropFirst(offset).prefix(limit)),
            "\(centre) \(radius) \(limit) \(offset)")
        }
      }
    }
    // Pages meet.
    func page(_ limit: Int, _ offset: Int) async throws -> [UUID] {
      try await nearby(
        world, around: .at(38.7, -9.1), radius: 20_100_000, limit: limit, offset: offset
      ).map(\.id)
    }
    let whole = try await page(60, 1000)
    #expect(Set(whole).count == 60)
    #expect(try await page(30, 1000) + page(30, 1030) == whole)
  }

  @Test func `a crowd on one spot is answered too`() async throws {
    let world = try await ServerWorld.withFriends(2)
    try await fill(world, by: 0, Array(repeating: .lisbon, count: 1500) + [.downtown])
    let found = try await nearby(world, around: .downtown, limit: 3)
    #expect(found.map(\.centre) == [.downtown, .lisbon, .lisbon])
    #expect(try await nearby(world, around: .lisbon, limit: 10, offset: 1499).count == 2)
  }

  @Test func `mine and those I am invited to are among them, until they are over`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    let mine = try await world.create(.sample("mine", visibility: .private), as: 1)
    let invited = try await world.create(
      .sample("invited", at: .downtown, visibility: .invited), as: 0)
    try await world.invite(1, to: invited.id, as: 0)
    let short = try await world.create(
      .sample("short", at: .downtown, endsAt: world.now.advanced(by: .seconds(60))), as: 0)
    _ = try await world.create(.sample("strange"), as: 2)
    _ = try await world.create(.sample("secret", visibility: .invited), as: 0)
    func titles() async throws -> Set<String> {
      Set(try await nearby(world, around: .lisbon).map(\.title))
    }
    #expect(try await titles() == ["mine", "invited", "short"])
    try await world.join(short.id, as: 1)
    #expect(try await nearby(world, around: .lisbon).count == 3)
    world.wait(seconds: 60)
    #expect(try await titles() == ["mine", "invited"])
    try await world.call(LeaveMission(missionID: invited.id), as: 1)
    #expect(try await titles() == ["mine", "invited"])
    // A mission that moves is found where it is.
    var move = UpdateMission(missionID: mine.id)
    move.latitude = Coordinate.porto.latitude
    move.longitude = Coordinate.porto.longitude
    try await world.call(move, as: 1)
    #expect(try await titles() == ["invited"])
    #expect(try await nearby(world, around: .porto).map(\.title) == ["mine"])
    try await world.block(0, by: 1)
    #expect(try await titles().isEmpty)
  }

  @Test func `a place must be given, and the radius be one`() async throws {
    let world = try await ServerWorld.withFriends(2)
    var call = FetchMissions(scope: .nearby)
    #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
    call.latitude = 3
    #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
    call.longitude = 181
    #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
    call.longitude = 18
    #expect(try await world.refusal(of: call, as: 0) == nil)
    call.radiusMetres = 0
    #expect(try await world.refusal(of: call, as: 0) == "invalid_argument")
  }

  /// What the plan enters by index, not how long it takes.
  @Test func `the missions of strangers are never gone through`() async throws {
    // The other engine plans by what is in the tables, and these are empty.
    guard TestEngine.current == .sqlite else { return }
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    let member = world.members[1].caller.userID
    let now = world.now
    let plan = try await world.storage.read { database in
      let query = NearbyMissions(
        reader: try MissionReader(member, at: now, in: database), centre: .lisbon
      ).query(within: 1000, stretches: 8, limit: 10)
      return try Row.fetchAll(
        database, sql: "EXPLAIN QUERY PLAN \(query.sql)", arguments: query.arguments
      ).map { try $0["detail"] as String }
    }
    #expect(
      plan.contains {
        $0.contains("COVERING INDEX missions_for_friends (creator=? AND z>? AND z<?)")
      })
    #expect(
      plan.contains { $0.contains("mission_members_by_place (user_id=? AND z>? AND z<?)") })
    #expect(!plan.contains { $0.hasPrefix("SCAN m") || $0.hasPrefix("SCAN b") })
  }
}
