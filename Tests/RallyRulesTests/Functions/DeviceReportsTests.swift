import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// Which of a person's devices tells where they are.
@Suite(.everyEngine) struct DeviceReportsTests {
  /// Somebody who shares precisely with a friend, and the friend.
  private static func world() async throws -> ServerWorld {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    try await world.turn()
    _ = await world.frames(for: 1)
    return world
  }

  private static func publish(
    _ place: Coordinate, accuracy: Double = 20, speed: Double? = nil, source: String = "gps",
    in world: ServerWorld
  ) async throws {
    let report = LocationReport(
      coordinate: place, accuracyMetres: accuracy, speed: speed, recordedAt: world.now,
      source: source)
    try await world.call(PublishLocations(locations: [report]), as: 0)
  }

  private static func seen(in world: ServerWorld) async throws -> Coordinate? {
    try await world.result(of: FetchFriendLocations(), as: 1).first?.coordinate
  }

  private static func devices(in world: ServerWorld) async throws -> Int {
    try await world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM location_devices") ?? 0
    }
  }

  @Test func `a laptop that stays still never displaces a phone that moves`() async throws {
    let world = try await Self.world()
    let phone = try await world.addPhone(of: 0)
    try await Self.publish(.lisbon, accuracy: 5, in: world)
    world.wait(seconds: 60)
    try await world.post(
      PhonePost(fixes: [.sample(.downtown, at: world.now, accuracy: 50, speed: 3)]), with: phone)
    #expect(try await Self.seen(in: world) == .downtown)
    try await world.turn()
    _ = await world.frames(for: 1)
    for _ in 0..<10 {
      world.wait(seconds: 60)
      try await Self.publish(.lisbon, accuracy: 5, in: world)
      #expect(try await Self.seen(in: world) == .downtown)
    }
    try await world.turn()
    #expect(await world.frames(for: 1).isEmpty)
    // Of a phone from which nothing comes any more, a quarter of an hour is enough.
    world.wait(seconds: 301)
    try await Self.publish(.lisbon, accuracy: 5, in: world)
    #expect(try await Self.seen(in: world) == .lisbon)
  }

  @Test func `a place that the person chose counts at once`() async throws {
    let world = try await Self.world()
    let phone = try await world.addPhone(of: 0)
    try await world.post(
      PhonePost(fixes: [.sample(.downtown, at: world.now, accuracy: 3)]), with: phone)
    world.wait(seconds: 1)
    try await Self.publish(.porto, accuracy: 5000, source: "manual", in: world)
    #expect(try await Self.seen(in: world) == .porto)
    world.wait(seconds: 1)
    try await world.post(
      PhonePost(fixes: [.sample(.downtown, at: world.now, accuracy: 3)]), with: phone)
    #expect(try await Self.seen(in: world) == .porto)
    world.wait(seconds: 1)
    try await world.post(
      PhonePost(fixes: [.sample(.lisbon, at: world.now, accuracy: 3)]), with: phone)
    #expect(try await Self.seen(in: world) == .lisbon)
  }

  @Test func `of a ghost's devices nothing is kept`() async throws {
    let world = try await Self.world()
    try await Self.publish(.lisbon, in: world)
    #expect(try await Self.devices(in: world) == 1)
    try await world.call(SetGhost(isGhost: true), as: 0)
    #expect(try await Self.devices(in: world) == 0)
    try await Self.publish(.porto, in: world)
    #expect(try await Self.devices(in: world) == 0)
  }

  @Test func `where the shown position was withdrawn, any device may report the next`()
    async throws
  {
    let world = try await Self.world()
    let phone = try await world.addPhone(of: 0)
    try await Self.publish(.lisbon, accuracy: 5, speed: 3, in: world)
    try await world.share(.off, of: 0)
    try await world.share(.precise, of: 0)
    #expect(try await Self.seen(in: world) == nil)
    world.wait(seconds: 1)
    try await world.post(
      PhonePost(fixes: [.sample(.downtown, at: world.now, accuracy: 50)]), with: phone)
    #expect(try await Self.seen(in: world) == .downtown)
  }

  @Test func `no place is stored for the rule`() async throws {
    let world = try await Self.world()
    try await Self.publish(.lisbon, in: world)
    let rows = try await world.storage.read {
      try Row.fetchAll($0, sql: "SELECT * FROM location_devices").map(\.description).joined()
    }
    let cell = GridCell(containing: .lisbon, level: .oneKilometre)
    #expect(!rows.isEmpty)
    for number in ["38.72", "9.139", "387223", "91393", ":\(cell.row)", ":\(cell.column)"] {
      #expect(!rows.contains(number), "\(number) in \(rows)")
    }
  }
}
