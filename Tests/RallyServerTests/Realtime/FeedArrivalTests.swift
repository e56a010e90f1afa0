import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Somebody who gains access while older changes wait to be read: those are not theirs, also where
/// the entry by which they gain it is read later.
@Suite(.everyEngine) struct FeedArrivalTests {
  private static let start = WireTime("2026-08-01T12:00:00Z")!

  /// As many entries as are read at once.
  private func wait(in world: ServerWorld) async throws {
    try await world.storage.write { [now = world.now] database in
      for _ in 0..<ChangeFeedReader.batch {
        try ChangeLog.append(.update, in: .locationSharing, key: "", at: now, to: database)
      }
    }
  }

  /// The kinds of changes that the member heard of, in order.
  private func kinds(_ world: ServerWorld, _ member: Int) async throws -> [String] {
    try await world.frames(for: member).compactMap { frame in
      try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))["payload"]?["data"]?["type"]?
        .string
    }
  }

  @Test func `a new friend hears of a position first that it is there`() async throws {
    let world = try await ServerWorld(members: 3, at: Self.start)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    try await world.call(PublishLocations(locations: [.sample(.lisbon, at: world.now)]), as: 0)
    try await world.turn()
    _ = await world.frames(for: 2)
    // when
    world.now = world.now.advanced(by: .seconds(60))
    try await world.call(PublishLocations(locations: [.sample(.porto, at: world.now)]), as: 0)
    try await wait(in: world)
    try await world.befriend(0, 2)
    try await world.turn()
    // then
    let heard = try await kinds(world, 2)
    #expect(heard == ["INSERT"])
  }

  @Test func `who is invited hears of a mission first that it is there`() async throws {
    let world = try await ServerWorld(members: 2, at: Self.start)
    await world.listen(1, to: ["missions"])
    try await world.befriend(0, 1)
    let mission = try await world.create(.sample(visibility: .invited)).id
    try await world.turn()
    _ = await world.frames(for: 1)
    // when
    var update = UpdateMission(missionID: mission)
    update.title = "Lanterns"
    try await world.call(update, as: 0)
    try await wait(in: world)
    try await world.call(
      InviteToMission(missionID: mission, userIDs: [world.members[1].id]), as: 0)
    try await world.turn()
    // then
    let heard = try await kinds(world, 1)
    #expect(heard == ["INSERT"])
  }
}
