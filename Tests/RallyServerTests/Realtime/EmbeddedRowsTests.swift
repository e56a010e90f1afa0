import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Events that bring what their reader would fetch after them, for bindings with `embed`.
@Suite(.everyEngine) struct EmbeddedRowsTests {
  private static let tables = ["friendships", "missions"]

  /// Everybody listens; nobody has heard anything yet.
  private func world(_ count: Int, embed: Bool? = true) async throws -> ServerWorld {
    let world = try await ServerWorld(members: count, at: ServerWorld.noon, tables: [])
    for member in 0..<count { await world.listen(member, to: Self.tables, embed: embed) }
    try await world.turn()
    for member in 0..<count { _ = await world.frames(for: member) }
    return world
  }

  private func receive(_ member: Int, in world: ServerWorld) async throws -> [ChangeEvent] {
    try await world.turn()
    return try await world.frames(for: member).map { frame in
      let json = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
      return try #require(json["payload"]?["data"]).decoded(as: ChangeEvent.self)
    }
  }

  private func relations(_ member: Int, in world: ServerWorld) async throws -> [EmbeddedRelation] {
    try await receive(member, in: world).filter { $0.table == "friendships" }.map {
      try #require($0.embedded).decoded(as: EmbeddedRelation.self)
    }
  }

  @Test func `both hear who the other one is and what they are to each other`() async throws {
    let world = try await world(3)
    try await world.call(RequestFriend(userID: world.members[1].id), as: 0)
    let asked = try await relations(0, in: world)
    #expect(asked.map(\.status) == [.outgoing])
    #expect(asked.first?.profile?.username == "person_1")
    let asking = try await relations(1, in: world)
    #expect(asking.map(\.status) == [.incoming])
    #expect(asking.first?.userID == world.members[0].id)
    // Only friends see when somebody was there.
    #expect(asking.first?.lastSeen == nil)
    try await world.call(
      RespondToFriendRequest(userID: world.members[0].id, accept: true), as: 1)
    #expect(try await relations(0, in: world).map(\.status) == [.friends])
    try await world.call(RemoveFriend(userID: world.members[0].id), as: 1)
    #expect(
      try await relations(0, in: world)
        == [EmbeddedRelation(userID: world.members[1].id, status: .none)])
    #expect(try await relations(2, in: world).isEmpty)
  }

  @Test func `a new name is heard by friends and by whom a request is with, and nobody else`()
    async throws
  {
    let world = try await world(5)
    try await world.befriend(0, 1)
    try await world.call(RequestFriend(userID: world.members[2].id), as: 0)
    try await world.call(RequestFriend(userID: world.members[0].id), as: 3)
    try await world.block(4, by: 0)
    for member in 0..<5 { _ = try await receive(member, in: world) }
    try await world.call(UpdateProfile(displayName: "Fog Runner"), as: 0)
    for (member, status) in [
      (1, FriendshipStatus.friends), (2, .incoming), (3, .outgoing),
    ] {
      let heard = try await relations(member, in: world)
      #expect(heard.map(\.status) == [status])
      #expect(heard.map(\.profile?.displayName) == ["Fog Runner"])
    }
    #expect(try await receive(0, in: world).isEmpty)
    #expect(try await receive(4, in: world).isEmpty)
    // What changes nothing is no news.
    try await world.call(UpdateProfile(displayName: "Fog Runner"), as: 0)
    #expect(try await receive(1, in: world).isEmpty)
  }

  @Test func `a binding without it hears of no name`() async throws {
    let world = try await world(2, embed: nil)
    try await world.befriend(0, 1)
    _ = try await receive(1, in: world)
    await world.listen(1, to: Self.tables, embed: true)
    try await world.turn()
    _ = await world.frames(for: 1)
    try await world.call(UpdateProfile(displayName: "Fog Runner"), as: 0)
    let heard = try await receive(1, in: world)
    #expect(heard.count == 1)
    #expect(heard.allSatisfy { $0.embedded != nil })
  }

  @Test func `each hears of a mission what they would fetch`() async throws {
    let world = try await world(4)
    for other in 1...3 { try await world.befriend(0, other) }
    for member in 0..<4 { _ = try await receive(member, in: world) }
    let mission = try await world.create(.sample(capacity: 3))
    try await expectFetched(mission.id, as: [0, 1, 2, 3], in: world)
    try await world.join(mission.id, as: 1)
    try await expectFetched(mission.id, as: [0, 1, 2, 3], in: world)
    try await world.invite(2, to: mission.id)
    // Invited people are shown to members only.
    try await expectFetched(mission.id, as: [0, 1, 2, 3], in: world)
    try await world.call(
      BeginOnMyWay(missionID: mission.id, userIDs: [world.members[0].id]), as: 1)
    try await expectFetched(mission.id, as: [0, 1], in: world)
    // Who blocks somebody does not see them in it any more.
    try await world.join(mission.id, as: 2)
    try await expectFetched(mission.id, as: [0, 1, 2, 3], in: world)
    try await world.block(1, by: 2)
    try await expectFetched(mission.id, as: [1, 2], in: world)
    #expect(try await world.mission(mission.id, as: 2).members.count == 2)
  }

  private func expectFetched(
    _ mission: UUID, as readers: [Int], in world: ServerWorld,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for reader in readers {
      let last = try #require(
        try await receive(reader, in: world).last { $0.table == "missions" },
        "\(reader)", sourceLocation: location)
      let embedded = try #require(last.embedded).decoded(as: EmbeddedMission.self)
      let fetched = try await world.mission(mission, as: reader)
      #expect(embedded.mission == fetched, "\(reader)", sourceLocation: location)
      let coming = try await world.result(of: FetchComing(), as: reader)
      #expect(embedded.coming == coming, "\(reader)", sourceLocation: location)
    }
  }

  @Test(arguments: [nil, false])
  func `who does not ask for it gets the row alone`(_ embed: Bool?) async throws {
    let world = try await world(2, embed: embed)
    try await world.befriend(0, 1)
    _ = try await world.create()
    let heard = try await receive(1, in: world)
    #expect(Set(heard.map(\.table)) == Set(Self.tables))
    #expect(heard.allSatisfy { $0.embedded == nil })
  }

  @Test func `each binding of a channel gets what it asks for`() async throws {
    let world = try await world(2, embed: nil)
    await world.listen(1, to: Self.tables, embed: true)
    try await world.turn()
    _ = await world.frames(for: 1)
    try await world.befriend(0, 1)
    let heard = try await receive(1, in: world)
    #expect(heard.contains { $0.embedded == nil })
    #expect(heard.contains { $0.embedded != nil })
  }
}
