import Foundation
import RallyGate
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// Moves between cells, which coarse readers hear of after a delay.
@Suite(.everyEngine) struct LocationMovesTests {
  private static let start = WireTime("2026-08-01T12:05:00Z")!
  /// Seconds; within the longest ones.
  private static let delays: [GridLevel: Int64] = [.oneKilometre: 100, .tenKilometres: 700]

  /// The owner, and a reader of each way to see them.
  private static let (owner, precise, fine, coarse) = (0, 1, 2, 3)

  /// The owner in Lisbon, and three friends who listen.
  private static func world(precisely: Bool = true) async throws -> ServerWorld {
    let world = try await ServerWorld(
      members: 4, at: start,
      moveDelay: MoveDelay { move, _ in
        move.time.advanced(by: .seconds(delays[move.level] ?? 0))
      })
    for friend in [precise, fine, coarse] { try await world.befriend(owner, friend) }
    if precisely { try await world.share(.precise, of: owner, with: precise) }
    try await world.share(.approximate1km, of: owner, with: fine)
    try await world.share(.approximate10km, of: owner, with: coarse)
    try await publish(.lisbon, in: world)
    try await world.turn()
    return world
  }

  private static func publish(_ place: Coordinate, in world: ServerWorld) async throws {
    try await world.call(
      PublishLocations(locations: [.sample(place, at: world.now)]), as: owner)
  }

  private static func centre(_ place: Coordinate, _ level: GridLevel) -> Coordinate {
    GridCell(containing: place, level: level).center
  }

  /// What a reader fetches; what they find in the table and what the owner is told that they see is the
  /// same.
  private static func row(
    for reader: Int, in world: ServerWorld
  ) async throws -> LocationRecord? {
    let row = try await world.result(of: FetchFriendLocations(), as: reader).first
    let told = try await world.result(of: FetchLocationSharing(), as: owner).first {
      $0.userID == world.members[reader].id
    }
    #expect(told?.location == row)
    let rows = try await world.rows(of: .locations, as: reader)
    #expect(rows == (row.map { [PublishedTables.locations.record($0)] } ?? []))
    return row
  }

  private static func heard(_ reader: Int, in world: ServerWorld) async throws -> [String] {
    try await world.turn()
    return try await world.frames(for: reader).map {
      let data = try WireJSON.decode(JSONValue.self, from: Data($0.utf8))["payload"]?["data"]
      return data?["type"]?.string ?? ""
    }
  }

  private static func silence(_ world: ServerWorld) async throws {
    try await world.turn()
    for member in world.members.indices { _ = await world.frames(for: member) }
  }

  // MARK: - The delay

  @Test func `a first position, a precise one and a withdrawal are told at once`() async throws {
    let world = try await Self.world()
    for friend in [Self.precise, Self.fine, Self.coarse] {
      #expect(try await Self.heard(friend, in: world) == ["INSERT"])
    }
    try await Self.publish(.porto, in: world)
    #expect(try await Self.heard(Self.precise, in: world) == ["UPDATE"])
    #expect(try await Self.row(for: Self.precise, in: world)?.coordinate == .porto)
    try await world.share(.off, of: Self.owner, with: Self.fine)
    #expect(try await Self.heard(Self.fine, in: world) == ["DELETE"])
    #expect(try await Self.row(for: Self.fine, in: world) == nil)
  }

  @Test func `coarse readers see and hear of a move when it is due, and not before`() async throws {
    let world = try await Self.world()
    try await Self.silence(world)
    for (reader, level) in [(Self.fine, GridLevel.oneKilometre), (Self.coarse, .tenKilometres)] {
      world.now = Self.start
      let before = try await Self.row(for: reader, in: world)
      let due = Self.start.advanced(by: .seconds(Self.delays[level] ?? 0))
      if level == .oneKilometre { try await Self.publish(.porto, in: world) }
      world.now = due.advanced(by: .microseconds(-1))
      #expect(try await Self.heard(reader, in: world).isEmpty)
      #expect(try await Self.row(for: reader, in: world) == before)
      world.now = due
      #expect(try await Self.heard(reader, in: world) == ["UPDATE"])
      let after = try #require(try await Self.row(for: reader, in: world))
      #expect(after.coordinate == Self.centre(.porto, level))
      #expect(after.version == (before?.version ?? 0) + 1)
      // When it was announced, whatever the quarter of the move was.
      #expect(after.recordedAt == due.quarterHour)
    }
    #expect(try await world.storage.read(LocationRecords.earliestMove) == nil)
  }

  @Test func `further moves change where to and not when`() async throws {
    let world = try await Self.world()
    try await Self.silence(world)
    try await Self.publish(.porto, in: world)
    world.wait(seconds: 60)
    try await Self.publish(.downtown, in: world)
    #expect(try await Self.heard(Self.fine, in: world).isEmpty)
    world.wait(seconds: 40)
    #expect(try await Self.heard(Self.fine, in: world) == ["UPDATE"])
    let seen = try await Self.row(for: Self.fine, in: world)
    #expect(seen?.coordinate == Self.centre(.downtown, .oneKilometre))
  }

  @Test func `whoever returns in time has not moved`() async throws {
    let world = try await Self.world()
    let before = try await Self.row(for: Self.fine, in: world)
    try await Self.silence(world)
    try await Self.publish(.porto, in: world)
    world.wait(seconds: 99)
    try await Self.publish(.acrossTheStreet, in: world)
    #expect(try await world.storage.read(LocationRecords.earliestMove) == nil)
    world.wait(seconds: 1000)
    for reader in [Self.fine, Self.coarse] {
      #expect(try await Self.heard(reader, in: world).isEmpty)
    }
    #expect(try await Self.row(for: Self.fine, in: world) == before)
  }

  @Test func `a move that is due is announced by the next report too, as of then`() async throws {
    let world = try await Self.world(precisely: false)
    try await Self.silence(world)
    try await Self.publish(.porto, in: world)
    world.wait(seconds: 1500)
    // Without a turn in between, as after a pause of the machine.
    try await Self.publish(.lisbon, in: world)
    let seen = try #require(try await Self.row(for: Self.fine, in: world))
    #expect(seen.coordinate == Self.centre(.porto, .oneKilometre))
    #expect(seen.recordedAt == Self.start.advanced(by: .seconds(100)).quarterHour)
    #expect(try await Self.heard(Self.fine, in: world) == ["UPDATE"])
    world.wait(seconds: 100)
    #expect(try await Self.heard(Self.fine, in: world) == ["UPDATE"])
    let back = try await Self.row(for: Self.fine, in: world)
    #expect(back?.coordinate == Self.centre(.lisbon, .oneKilometre))
  }

  @Test func `a reader who sees less from now on sees the announced cell`() async throws {
    let world = try await Self.world()
    try await Self.publish(.porto, in: world)
    try await Self.silence(world)
    try await world.share(.approximate1km, of: Self.owner, with: Self.precise)
    let seen = try #require(try await Self.row(for: Self.precise, in: world))
    #expect(seen.coordinate == Self.centre(.lisbon, .oneKilometre))
    #expect(try await Self.row(for: Self.fine, in: world)?.coordinate == seen.coordinate)
    // Nothing more exact is kept than anybody may see.
    let stored = try #require(try await world.stored(of: Self.owner))
    #expect(stored.precision == .approximate1km)
    #expect(stored.coordinate == seen.coordinate)
    world.wait(seconds: 100)
    #expect(try await Self.heard(Self.precise, in: world).count == 2)
    let moved = try await Self.row(for: Self.precise, in: world)
    #expect(moved?.coordinate == Self.centre(.porto, .oneKilometre))
  }

  // MARK: - Servers

  @Test func `a server that starts announces what became due, and two announce it once`()
    async throws
  {
    let world = try await Self.world()
    try await Self.silence(world)
    try await Self.publish(.porto, in: world)
    world.wait(seconds: 99)
    try await world.turnOfAnotherServer()
    #expect(try await Self.heard(Self.fine, in: world).isEmpty)
    world.wait(seconds: 1)
    async let one: Void = world.turnOfAnotherServer()
    async let other: Void = world.turnOfAnotherServer()
    _ = try await (one, other)
    #expect(try await Self.heard(Self.fine, in: world) == ["UPDATE"])
    #expect(try await Self.heard(Self.fine, in: world).isEmpty)
  }

  // MARK: - Ghosts

  /// A place this much of a cell north of the northern edge of Lisbon's.
  private static func north(_ cells: Double) -> Coordinate {
    let centre = centre(.lisbon, .oneKilometre)
    return .at(centre.latitude + (0.5 + cells) / 120, centre.longitude)
  }

  private static func goGhost(_ world: ServerWorld) async throws {
    try await world.call(SetGhost(isGhost: true), as: owner)
    #expect(try await world.stored(of: owner) == nil)
  }

  @Test func `on an edge a ghost comes back into the cell that they left`() async throws {
    let world = try await Self.world(precisely: false)
    let before = try await Self.row(for: Self.fine, in: world)
    try await Self.goGhost(world)
    world.wait(seconds: 3600)
    try await world.call(SetGhost(isGhost: false), as: Self.owner)
    try await Self.publish(Self.north(0.05), in: world)
    let after = try await Self.row(for: Self.fine, in: world)
    #expect(after?.coordinate == before?.coordinate)
    #expect(after?.recordedAt == world.now.quarterHour)
    #expect(try await world.storage.read(LocationRecords.earliestMove) == nil)
  }

  @Test func `a move that waits goes on waiting through a ghost`() async throws {
    let world = try await Self.world(precisely: false)
    let before = try await Self.row(for: Self.fine, in: world)
    try await Self.publish(Self.north(0.2), in: world)
    world.wait(seconds: 50)
    try await Self.goGhost(world)
    world.wait(seconds: 10)
    try await world.call(SetGhost(isGhost: false), as: Self.owner)
    try await Self.publish(Self.north(0.2), in: world)
    #expect(try await Self.row(for: Self.fine, in: world)?.coordinate == before?.coordinate)
    #expect(
      try await world.storage.read(LocationRecords.earliestMove)
        == Self.start.advanced(by: .seconds(100)))
    // And becomes known at its time while nobody is a ghost, or at the return.
    try await Self.goGhost(world)
    world.wait(seconds: 40)
    try await world.call(SetGhost(isGhost: false), as: Self.owner)
    try await Self.publish(Self.north(0.2), in: world)
    let after = try await Self.row(for: Self.fine, in: world)
    #expect(after?.coordinate == Self.centre(Self.north(0.2), .oneKilometre))
  }

  @Test func `what is remembered of a ghost is no position, and not for ever`() async throws {
    let world = try await Self.world(precisely: false)
    try await Self.publish(Self.north(0.2), in: world)
    let cells = [Coordinate.lisbon, Self.north(0.2)].flatMap { place in
      GridLevel.allCases.map { GridCell(containing: place, level: $0) }
    }
    try await Self.goGhost(world)
    let text = try await world.storage.read { database in
      try database.tables().flatMap { table in
        try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\($0)" }
      }.joined(separator: "\n")
    }
    for cell in cells {
      #expect(!text.contains(":\(cell.row) ") && !text.contains(":\(cell.row)]"), "\(cell)")
      #expect(!text.contains(String(cell.center.latitudeUnits)))
    }
    func memories() async throws -> Int {
      let (id, now) = (world.members[Self.owner].caller.userID, world.now)
      return try await world.storage.read { try CellMemoryRecords.all(of: id, at: now, in: $0) }
        .count
    }
    #expect(try await memories() == 2)
    world.wait(seconds: 86_400)
    #expect(try await memories() == 0)
  }

  @Test func `somebody who was elsewhere meanwhile is shown where they are`() async throws {
    let world = try await Self.world(precisely: false)
    try await Self.goGhost(world)
    world.wait(seconds: 7200)
    try await world.call(SetGhost(isGhost: false), as: Self.owner)
    try await Self.publish(.porto, in: world)
    let seen = try await Self.row(for: Self.fine, in: world)
    #expect(seen?.coordinate == Self.centre(.porto, .oneKilometre))
  }
}
