import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// The gate says which rule withholds a position, to its owner.
@Suite(.everyEngine) struct LocationVisibilityTests {
  private static let start = WireTime("2026-08-01T12:05:00Z")!

  /// A world in which the first two members are friends.
  private static func friends() async throws -> ServerWorld {
    let world = try await ServerWorld(members: 3, at: start)
    try await world.befriend(0, 1)
    return world
  }

  private static func publish(_ world: ServerWorld) async throws {
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: 0)
  }

  /// What the first member is told that the second one sees; nil without a row about them.
  private static func seen(
    _ world: ServerWorld
  ) async throws -> Result<LocationRecord, WithheldReason>? {
    try await world.result(of: FetchLocationSharing(), as: 0)
      .first { $0.userID == world.members[1].id }?.seen
  }

  @Test func `nothing is shared until it is decided, and nothing after it is taken back`()
    async throws
  {
    let world = try await Self.friends()
    try await Self.publish(world)
    #expect(try await Self.seen(world) == .failure(.off))
    try await world.share(.approximate1km, of: 0)
    try await Self.publish(world)
    let fetched = try #require(try await world.result(of: FetchFriendLocations(), as: 1).first)
    #expect(try await Self.seen(world) == .success(fetched))
    try await world.share(.off, of: 0, with: 1)
    #expect(try await Self.seen(world) == .failure(.off))
    #expect(try await world.result(of: FetchFriendLocations(), as: 1).isEmpty)
  }

  @Test func `a share without a position says that there is none`() async throws {
    let world = try await Self.friends()
    try await world.share(.precise, of: 0, with: 1)
    #expect(try await Self.seen(world) == .failure(.noReport))
    try await Self.publish(world)
    #expect(try await Self.seen(world)?.get().precision == .precise)
  }

  @Test func `a share that ended says so, before and after it is removed, until the next decision`()
    async throws
  {
    let world = try await Self.friends()
    try await world.share(
      .precise, of: 0, with: 1, until: world.now.advanced(by: .seconds(60)))
    try await Self.publish(world)
    #expect(try await Self.seen(world)?.get().precision == .precise)
    // when: its time is over, and the feed has not removed it yet
    world.wait(seconds: 61)
    #expect(try await Self.seen(world) == .failure(.expired))
    try await world.turn()
    #expect(try await Self.seen(world) == .failure(.expired))
    // The default shows something: the end is past.
    try await world.share(.precise, of: 0)
    #expect(try await Self.seen(world) == .failure(.noReport))
    try await world.share(.off, of: 0)
    #expect(try await Self.seen(world) == .failure(.expired))
    try await world.share(.off, of: 0, with: 1)
    #expect(try await Self.seen(world) == .failure(.off))
  }

  @Test func `the default's end explains for everybody, and an ended off for nobody`()
    async throws
  {
    let world = try await Self.friends()
    let soon = world.now.advanced(by: .seconds(60))
    try await world.share(.off, of: 0, with: 1, until: soon)
    world.wait(seconds: 61)
    try await world.turn()
    #expect(try await Self.seen(world) == .failure(.off))
    try await world.share(.precise, of: 0, until: world.now.advanced(by: .seconds(60)))
    world.wait(seconds: 61)
    try await world.turn()
    #expect(try await Self.seen(world) == .failure(.expired))
    // Two ends of the same share, one after the other, are one.
    try await world.share(.precise, of: 0, until: world.now.advanced(by: .seconds(60)))
    world.wait(seconds: 61)
    try await world.turn()
    #expect(try await Self.seen(world) == .failure(.expired))
  }

  @Test func `what ended is forgotten with the friendship`() async throws {
    let world = try await Self.friends()
    try await world.share(
      .precise, of: 0, with: 1, until: world.now.advanced(by: .seconds(60)))
    world.wait(seconds: 61)
    try await world.turn()
    try await world.call(RemoveFriend(userID: world.members[1].id), as: 0)
    #expect(try await Self.seen(world) == nil)
    try await world.befriend(0, 1)
    #expect(try await Self.seen(world) == .failure(.off))
  }

  @Test func `a stranger meets the same gate`() async throws {
    let world = try await Self.friends()
    try await world.share(.precise, of: 0)
    try await Self.publish(world)
    let (owner, stranger) = (world.members[0].id.wireText, world.members[2].id.wireText)
    let now = world.now
    let seen = try await world.storage.read { database in
      let audience = try LocationAudience(of: owner, at: now, in: database)
      return LocationVisibility.project(
        try LocationRecords.find(owner, in: database), allowed: audience.allowed(stranger),
        visibility: .none)
    }
    #expect(seen == .failure(.notFriend))
  }
}
