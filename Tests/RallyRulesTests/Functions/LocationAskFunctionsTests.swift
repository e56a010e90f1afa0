import Foundation
import RallyServer
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Asking friends where they are: member 0 asks member 1.
@Suite(.everyEngine) struct LocationAskFunctionsTests {
  private func friends(_ count: Int = 2) async throws -> ServerWorld {
    let world = try await ServerWorld(
      members: count, at: ServerWorld.noon, tables: ["location_asks"])
    try await world.befriend(0, 1)
    return world
  }

  private func asks(of member: Int, in world: ServerWorld) async throws -> [LocationAskRecord] {
    try await world.result(of: FetchLocationAsks(), as: member)
  }

  private func ask(_ world: ServerWorld, clientID: UUID? = nil) async throws {
    let call = FunctionCall(AskLocation(userID: world.members[1].id), clientID: clientID)
    #expect(try await world.call(call, as: 0).isEmpty)
  }

  private func close(_ world: ServerWorld) async throws {
    #expect(
      try await world.call(CloseLocationAsk(userID: world.members[0].id), as: 1).isEmpty)
  }

  private func count(in world: ServerWorld) async throws -> Int {
    try await world.storage.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM location_asks") ?? 0
    }
  }

  /// The kinds of events that a member heard.
  private func heard(_ member: Int, in world: ServerWorld) async throws -> [String] {
    try await world.turn()
    return try await world.frames(for: member).compactMap { frame in
      let message = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
      guard message["event"] == "postgres_changes" else { return nil }
      return message["payload"]?["data"]?["type"]?.string
    }
  }

  @Test func `a question reaches both friends at once, with who asked and when`() async throws {
    let world = try await friends(3)
    _ = try await heard(0, in: world)
    try await ask(world)
    #expect(try await heard(0, in: world) == ["INSERT"])
    #expect(try await heard(1, in: world) == ["INSERT"])
    #expect(try await heard(2, in: world) == [])
    let (asker, asked) = (world.members[0].id, world.members[1].id)
    #expect(
      try await asks(of: 1, in: world) == [
        LocationAskRecord(
          userID: asker, username: "person_0", displayName: "person_0", direction: .incoming,
          askedAt: world.now)
      ])
    #expect(
      try await asks(of: 0, in: world) == [
        LocationAskRecord(
          userID: asked, username: "person_1", displayName: "person_1", direction: .outgoing,
          askedAt: world.now)
      ])
    #expect(try await asks(of: 2, in: world).isEmpty)
  }

  @Test func `a dismissal shows in nothing that the asker can read or hear`() async throws {
    let world = try await friends()
    try await ask(world)
    for member in 0...1 { _ = try await heard(member, in: world) }
    let before = try await world.call(FetchLocationAsks(), as: 0)
    try await close(world)
    #expect(try await heard(1, in: world) == ["DELETE"])
    #expect(try await heard(0, in: world) == [])
    #expect(try await asks(of: 1, in: world).isEmpty)
    #expect(try await world.call(FetchLocationAsks(), as: 0) == before)
    // A second time, from another terminal, it is no failure and no event.
    try await close(world)
    #expect(try await heard(1, in: world) == [])
  }

  @Test func `a share with the asker answers, and nothing else does`() async throws {
    let world = try await friends(3)
    try await world.befriend(1, 2)
    try await ask(world)
    try await world.share(.precise, of: 1, with: 2)
    try await world.share(.off, of: 1, with: 0)
    try await world.share(.approximate10km, of: 1)
    #expect(try await asks(of: 1, in: world).count == 1)
    let until = world.now.advanced(by: LocationAskRecord.lifetime)
    try await world.share(.approximate1km, of: 1, with: 0, until: until)
    #expect(try await asks(of: 1, in: world).isEmpty)
    #expect(try await asks(of: 0, in: world).count == 1)
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: 1)
    let seen = try await world.result(of: FetchFriendLocations(), as: 0)
    #expect(seen.map(\.precision) == [.approximate1km])
  }

  @Test func `a stranger, who blocks me and an unknown id are never told apart`() async throws {
    let world = try await friends(4)
    try await world.befriend(0, 3)
    try await world.block(0, by: 3)
    var answers: Set<String> = []
    for id in [world.members[2].id, world.members[3].id, UUID()] {
      answers.insert(try await world.call(AskLocation(userID: id), as: 0))
      answers.insert(try await world.call(CloseLocationAsk(userID: id), as: 0))
    }
    #expect(answers.count == 1)
    #expect(answers.first?.contains("not_found") == true)
    #expect(
      try await world.refusal(of: AskLocation(userID: world.members[0].id), as: 0) == "yourself")
    #expect(try await count(in: world) == 0)
  }

  @Test func `again within ten minutes nothing changes, and after half an hour it is gone`()
    async throws
  {
    let world = try await friends()
    let first = world.now
    try await ask(world)
    try await close(world)
    _ = try await heard(1, in: world)
    world.wait(seconds: 599)
    try await ask(world)
    #expect(try await heard(1, in: world) == [])
    #expect(try await asks(of: 1, in: world).isEmpty)
    #expect(try await asks(of: 0, in: world).map(\.askedAt) == [first])
    world.wait(seconds: 1)
    try await ask(world)
    #expect(try await heard(1, in: world) == ["INSERT"])
    #expect(try await asks(of: 1, in: world).map(\.askedAt) == [world.now])
    world.wait(seconds: 1799)
    #expect(try await asks(of: 0, in: world).count == 1)
    world.wait(seconds: 1)
    for member in 0...1 { #expect(try await asks(of: member, in: world).isEmpty) }
    let now = world.now
    try await world.storage.write { try LocationAskRecords.trim(at: now, in: $0) }
    #expect(try await count(in: world) == 0)
  }

  @Test func `a repeated call does not ask anew`() async throws {
    let world = try await friends()
    let id = UUID()
    try await ask(world, clientID: id)
    try await close(world)
    world.wait(seconds: 900)
    try await ask(world, clientID: id)
    #expect(try await asks(of: 1, in: world).isEmpty)
  }

  @Test(arguments: ["part", "block", "delete"])
  func `questions end with the friendship`(_ end: String) async throws {
    let world = try await friends()
    try await ask(world)
    try await world.call(AskLocation(userID: world.members[0].id), as: 1)
    #expect(try await count(in: world) == 2)
    switch end {
    case "part": try await world.call(RemoveFriend(userID: world.members[0].id), as: 1)
    case "block": try await world.block(1, by: 0)
    default:
      let (id, now) = (world.members[0].caller.userID, world.now)
      _ = try await world.storage.write { try AccountDeletion.delete(id, at: now, in: $0) }
    }
    #expect(try await count(in: world) == 0)
    guard end != "delete" else { return }
    try await world.befriend(0, 1)
    for member in 0...1 { #expect(try await asks(of: member, in: world).isEmpty) }
  }

  @Test(.acrossNodes) func `too many questions are refused, whomever they are for`() async throws {
    try await TestServer.with(configure: { $0.budgets[.asksPerMinute] = 3 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      // An account of today has a third.
      #expect(try await ana.client.call(AskLocation(userID: UUID())).status != 429)
      #expect(try await ana.client.call(AskLocation(userID: ben.id)).status == 429)
      #expect(try await ana.client.call(AskLocation(userID: UUID())).status == 429)
      #expect(try await ben.result(of: FetchLocationAsks()).isEmpty)
    }
  }
}
