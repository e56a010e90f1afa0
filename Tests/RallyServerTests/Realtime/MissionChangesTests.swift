import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite(.everyEngine) struct MissionChangesTests {
  /// What somebody was told since the last look, in short: `INSERT missions`.
  private struct Heard: Hashable, CustomStringConvertible {
    var type: String
    var table: String
    var data: JSONValue

    var description: String { "\(type) \(table)" }
    var record: JSONValue { data["record"] ?? .null }
    var old: JSONValue { data["old_record"] ?? .null }
  }

  private func receive(_ member: Int, in world: ServerWorld) async throws -> [Heard] {
    try await world.turn()
    return try await world.frames(for: member).map { frame in
      let json = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
      let data = json["payload"]?["data"] ?? .null
      return Heard(
        type: data["type"]?.string ?? "", table: data["table"]?.string ?? "", data: data)
    }
  }

  private func words(_ member: Int, in world: ServerWorld) async throws -> [String] {
    try await receive(member, in: world).map(\.description)
  }

  private func silence(_ world: ServerWorld) async throws {
    try await world.turn()
    for member in world.members.indices { _ = await world.frames(for: member) }
  }

  // MARK: - Rows

  @Test func `friends hear of a mission for friends, with every column`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    let mission = try await world.create(.sample(capacity: 5))
    let heard = try await receive(1, in: world)
    #expect(heard.map(\.description) == ["INSERT missions", "INSERT mission_members"])
    let row = heard[0].record
    #expect(row["id"]?.string == mission.id.wireText)
    #expect(row["creator_id"]?.string == world.members[0].caller.userID)
    #expect(row["latitude"] == .number(Coordinate.lisbon.latitude))
    #expect(row["starts_at"]?.string == mission.startsAt.description)
    #expect(row["ends_at"] == .null)
    #expect(row["capacity"] == 5)
    #expect(row["visibility"] == "friends")
    #expect(row["version"] == 1)
    #expect(
      heard[0].data["columns"]?.array?.compactMap { $0["name"]?.string }.sorted()
        == row.object?.keys.sorted())
    #expect(!heard[0].data.object!.keys.contains("old_record"))
    let member = heard[1].record
    #expect(
      member == [
        "mission_id": .string(mission.id.wireText),
        "user_id": .string(world.members[0].caller.userID), "state": "joined",
        "joined_at": .string(world.now.description), "version": 1,
      ])
    // Those in it hear of its activity as well; strangers of nothing.
    #expect(
      try await words(0, in: world)
        == ["INSERT missions", "INSERT mission_members", "INSERT mission_activity"])
    #expect(try await words(2, in: world).isEmpty)
  }

  @Test func `a line is told as it is fetched, to members only`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    try await silence(world)
    let line = try await world.result(
      of: SayInMission(missionID: mission.id, text: "Here"), as: 1)
    let heard = try await receive(0, in: world)
    #expect(heard.map(\.description) == ["INSERT mission_activity"])
    #expect(try heard[0].record.decoded(as: MissionActivityRecord.self) == line)
    #expect(heard[0].record["objective_id"] == .null)
    #expect(
      heard[0].data["columns"]?.array?.compactMap { $0["name"]?.string }.sorted()
        == heard[0].record.object?.keys.sorted())
    #expect(try await words(1, in: world) == ["INSERT mission_activity"])
    #expect(try await words(2, in: world).isEmpty)
  }

  @Test func `filters meet the rows`() async throws {
    let world = try await ServerWorld(
      members: 2, at: ServerWorld.noon, tables: ["mission_members", "mission_activity"],
      filters: [
        "mission_id=eq.00000000-0000-4000-8000-000000000000",
        "user_id=neq.00000000-0000-4000-8000-000000000001",
      ])
    try await world.befriend(0, 1)
    let mission = try await world.create()
    try await world.turn()
    let frames = try await world.frames(for: 0).map {
      try WireJSON.decode(JSONValue.self, from: Data($0.utf8))
    }
    // Of the three bindings for each table the plain one and the second filter match.
    #expect(frames.map { $0["payload"]?["ids"]?.array?.count } == [2, 2])
    #expect(
      frames.allSatisfy {
        $0["payload"]?["data"]?["record"]?["mission_id"]?.string == mission.id.wireText
      })
  }

  // MARK: - Coming and going

  @Test func `joining and leaving are told to those who see it`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    try await silence(world)
    try await world.join(mission.id, as: 1)
    #expect(
      try await words(0, in: world)
        == ["INSERT mission_members", "UPDATE missions", "INSERT mission_activity"])
    #expect(
      try await words(1, in: world)
        == ["INSERT mission_members", "UPDATE missions", "INSERT mission_activity"])
    #expect(try await words(2, in: world) == ["INSERT mission_members", "UPDATE missions"])
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    let heard = try await receive(2, in: world)
    #expect(heard.map(\.description) == ["DELETE mission_members", "UPDATE missions"])
    #expect(
      heard[0].old == [
        "mission_id": .string(mission.id.wireText),
        "user_id": .string(world.members[1].caller.userID),
      ])
    // The person themselves still has a row, and may come back.
    let own = try await receive(1, in: world)
    #expect(own.map(\.description) == ["UPDATE mission_members", "UPDATE missions"])
    #expect(own[0].record["state"] == "left")
  }

  @Test func `an invitation appears to the guest, and to members only as a guest`() async throws {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create(.sample(visibility: .invited))
    try await world.invite(2, to: mission.id)
    try await world.join(mission.id, as: 2)
    try await world.invite(3, to: mission.id)
    try await silence(world)
    try await world.invite(1, to: mission.id)
    #expect(try await words(1, in: world) == ["INSERT missions", "INSERT mission_members"])
    for member in [0, 2] {
      #expect(try await words(member, in: world) == ["INSERT mission_members", "UPDATE missions"])
    }
    #expect(try await words(3, in: world) == ["UPDATE missions"])
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await words(2, in: world) == ["DELETE mission_members", "UPDATE missions"])
    #expect(try await words(3, in: world) == ["UPDATE missions"])
  }

  @Test func `whoever can see a mission no longer is told so, with the key only`() async throws {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create()
    try await world.join(mission.id, as: 2)
    try await world.join(mission.id, as: 3)
    try await world.call(LeaveMission(missionID: mission.id), as: 3)
    try await silence(world)
    var update = UpdateMission(missionID: mission.id)
    update.visibility = .invited
    try await world.call(update, as: 0)
    let lost = try await receive(1, in: world)
    #expect(lost.map(\.description) == ["DELETE missions"])
    #expect(lost[0].old == ["id": .string(mission.id.wireText)])
    #expect(lost[0].record == .null)
    for member in [2, 3] { #expect(try await words(member, in: world) == ["UPDATE missions"]) }
    update.visibility = .friends
    try await world.call(update, as: 0)
    #expect(try await words(1, in: world) == ["INSERT missions"])
    update.visibility = .invited
    try await world.call(update, as: 0)
    try await silence(world)
    // Closed, who left cannot come back.
    try await world.call(CompleteMission(missionID: mission.id), as: 0)
    #expect(try await words(3, in: world) == ["DELETE missions"])
    #expect(try await words(2, in: world) == ["UPDATE missions", "INSERT mission_activity"])
  }

  @Test func `a new friend is told what appears, a lost one what goes`() async throws {
    let world = try await ServerWorld.withFriends(2, strangers: 1)
    _ = try await world.create(.sample("shown"))
    _ = try await world.create(.sample("hidden", visibility: .invited))
    let over = try await world.create(.sample("over"))
    try await world.call(CancelMission(missionID: over.id), as: 0)
    try await silence(world)
    try await world.befriend(0, 2)
    let heard = try await receive(2, in: world)
    #expect(heard.map(\.description) == ["INSERT missions"])
    #expect(heard.first?.record["title"] == "shown")
    #expect(try await words(0, in: world).isEmpty)
    try await world.call(RemoveFriend(userID: world.members[0].id), as: 2)
    #expect(try await words(2, in: world) == ["DELETE missions"])
    // Gone and back before anything was said.
    try await world.befriend(0, 2)
    try await world.call(RemoveFriend(userID: world.members[0].id), as: 2)
    #expect(try await words(2, in: world).isEmpty)
  }

  @Test func `parting from a guest takes no mission from those who are in it`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create(.sample(visibility: .invited))
    try await world.invite(1, to: mission.id)
    try await silence(world)
    try await world.call(RemoveFriend(userID: world.members[1].id), as: 0)
    #expect(
      Set(try await words(0, in: world)) == ["DELETE mission_members", "UPDATE missions"])
    #expect(try await words(1, in: world) == ["DELETE missions"])
  }

  enum Side: CaseIterable { case blocks, blocked }

  @Test(arguments: Side.allCases)
  func `a block takes two members from each other's view, and back`(_ side: Side) async throws {
    let world = try await ServerWorld.withFriends(4)
    let mission = try await world.create()
    for member in [1, 2] { try await world.join(mission.id, as: member) }
    try await silence(world)
    let (blocker, blocked) = side == .blocks ? (1, 2) : (2, 1)
    try await world.block(blocked, by: blocker)
    for (reader, other) in [(1, 2), (2, 1)] {
      let heard = try await receive(reader, in: world)
      // Members are fetched with the mission.
      #expect(heard.map(\.description) == ["DELETE mission_members", "UPDATE missions"])
      #expect(heard.first?.old["user_id"]?.string == world.members[other].caller.userID)
    }
    for member in [0, 3] { #expect(try await words(member, in: world).isEmpty) }
    // What one does the other does not hear of.
    try await world.call(SayInMission(missionID: mission.id, text: "hello"), as: 1)
    try await world.call(LeaveMission(missionID: mission.id), as: 1)
    #expect(try await words(2, in: world).isEmpty)
    #expect(
      try await words(0, in: world) == [
        "INSERT mission_activity", "INSERT mission_activity", "DELETE mission_members",
        "UPDATE missions",
      ])
    try await world.join(mission.id, as: 1)
    try await silence(world)
    try await world.call(UnblockUser(userID: world.members[blocked].id), as: blocker)
    for reader in [1, 2] {
      #expect(
        try await words(reader, in: world) == ["INSERT mission_members", "UPDATE missions"])
    }
  }

  @Test func `a member whose creator blocks them goes on without a name`() async throws {
    let world = try await ServerWorld.withFriends(3)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    try await silence(world)
    try await world.block(1, by: 0)
    let heard = try await receive(1, in: world)
    #expect(Set(heard.map(\.description)) == ["DELETE mission_members", "UPDATE missions"])
    #expect(heard.first { $0.table == "missions" }?.record["creator_id"] == .null)
    // One change, told to some with and to one without its creator.
    var update = UpdateMission(missionID: mission.id)
    update.title = "New"
    try await world.call(update, as: 0)
    #expect(try await receive(1, in: world).first?.record["creator_id"] == .null)
    #expect(
      try await receive(2, in: world).first?.record["creator_id"]?.string
        == world.members[0].caller.userID)
  }

  @Test func `many changes before the feed is read are told as one`() async throws {
    let world = try await ServerWorld.withFriends(2)
    let mission = try await world.create()
    for title in ["One", "Two", "Three"] {
      var update = UpdateMission(missionID: mission.id)
      update.title = title
      try await world.call(update, as: 0)
    }
    let heard = try await receive(1, in: world)
    #expect(heard.map(\.description) == ["INSERT missions", "INSERT mission_members"])
    #expect(heard.first?.record["title"] == "Three")
  }

  // MARK: - Over sockets

  @Test(.acrossNodes)
  func `all of it comes over a socket, and nothing to somebody without an account`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      let probe = try await RealtimeProbe.connect(server)
      let nobody = try await RealtimeProbe.connect(server)
      let tables = ["missions", "mission_members", "mission_activity"]
      let bindings: [JSONValue] = tables.map {
        ["event": "*", "schema": "public", "table": .string($0)]
      }
      try await probe.join(
        RealtimeTopic.missions, token: ben.session.accessToken, bindings: bindings)
      try await nobody.join(RealtimeTopic.missions, token: nil, bindings: bindings)
      #expect(try await probe.next(.system)["payload"]?["status"] == "ok")
      let mission = try await ana.result(of: CreateMission.sample())
      _ = try await ben.result(of: JoinMission(missionID: mission.id))
      var seen: Set<String> = []
      while seen.count < 3 {
        let data = try await probe.next(.postgresChanges)["payload"]?["data"]
        seen.insert(data?["table"]?.string ?? "")
      }
      #expect(seen == Set(tables))
      #expect(try await nobody.drain().isEmpty)
      try await probe.close()
      try await nobody.close()
    }
  }
}
