import Foundation
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

@Suite(.everyEngine) struct AccountDeletionTests {
  private static let tables = ServerWorld.missionTables + ["friendships", "locations"]

  private func people(_ count: Int) async throws -> ServerWorld {
    try await ServerWorld(members: count, at: ServerWorld.noon, tables: Self.tables)
  }

  private func delete(_ member: Int, in world: ServerWorld) async throws {
    let (id, time) = (world.members[member].caller.userID, world.now)
    #expect(try await world.storage.write { try AccountDeletion.delete(id, at: time, in: $0) })
  }

  /// `DELETE friendships` and the like, since the last look.
  private func words(_ member: Int, in world: ServerWorld) async throws -> [String] {
    try await world.turn()
    return try await world.frames(for: member).compactMap { frame in
      let json = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))
      guard let data = json["payload"]?["data"]?.object else { return nil }
      return "\(data["type"]?.string ?? "") \(data["table"]?.string ?? "")"
    }
  }

  private func silence(_ world: ServerWorld) async throws {
    try await world.turn()
    for member in world.members.indices { _ = await world.frames(for: member) }
  }

  // MARK: - People

  @Test func `friends and those who asked hear the end, and find nobody`() async throws {
    let world = try await people(4)
    try await world.befriend(0, 1)
    try await world.call(RequestFriend(userID: world.members[0].id), as: 2)
    try await silence(world)
    try await delete(0, in: world)
    #expect(try await words(1, in: world) == ["DELETE friendships"])
    #expect(try await words(2, in: world) == ["DELETE friendships"])
    #expect(try await words(3, in: world) == [])
    #expect(try await world.result(of: FetchFriends(query: nil), as: 1).isEmpty)
    #expect(
      try await world.result(of: SearchPeople(query: "person_0"), as: 3).isEmpty)
    let request = RequestFriend(userID: world.members[0].id)
    #expect(try await world.refusal(of: request, as: 1) == "not_found")
  }

  @Test func `the sessions are over at once, and their sockets are closed`() async throws {
    let world = try await people(2)
    try await delete(0, in: world)
    #expect(
      try await world.refusal(of: FetchFriends(query: nil), as: 0) == FunctionFailure.badToken)
    try await world.turn()
    let isClosed = world.members[0].outbox.takeAll().contains { item in
      if case .close = item { true } else { false }
    }
    #expect(isClosed)
  }

  @Test func `a second deletion finds nobody`() async throws {
    let world = try await people(1)
    try await delete(0, in: world)
    let id = world.members[0].caller.userID
    let time = world.now
    #expect(
      try await !world.storage.write { try AccountDeletion.delete(id, at: time, in: $0) })
  }

  @Test func `nothing in storage names them any more`() async throws {
    let world = try await people(4)
    for other in 1...2 { try await world.befriend(0, other) }
    try await world.block(3, by: 0)
    try await world.share(.precise, of: 0)
    try await world.share(.precise, of: 1, with: 0)
    for member in 0...1 {
      try await world.call(
        PublishLocations(locations: [.sample(at: world.now)]), as: member)
    }
    let own = try await world.create(.sample("Own"))
    try await world.join(own.id, as: 1)
    try await world.call(SayInMission(missionID: own.id, text: "hello"), as: 0)
    let other = try await world.create(
      .sample("Other", objectives: [.init(title: "Door")]), as: 1)
    try await world.join(other.id, as: 0)
    let code = try await world.result(of: CreateInvitation(missionID: nil), as: 0).code
    try await world.call(AcceptInvitation(code: code), as: 1)
    try await world.call(
      SetLocationSharing(userID: nil, mode: .precise), clientID: UUID(), as: 0)
    for member in 0...1 {
      let phone = try await world.post(PhonePost(), with: try await world.addPhone(of: member))
      #expect(try await !world.reply(to: phone).isEmpty)
    }

    try await delete(0, in: world)
    let id = world.members[0].caller.userID
    let traces = try await world.storage.read { database in
      let tables = try database.tables()
      return try tables.filter { table in
        // The feed forgets by itself; its entries are what tells the others.
        guard table != "changes" else { return false }
        return try Row.fetchAll(database, sql: "SELECT * FROM \(table)").contains {
          $0.description.contains(id)
        }
      }
    }
    #expect(traces == [])
  }

  // MARK: - Positions

  @Test func `their position goes, and what only they could see so exactly is cut`() async throws {
    let world = try await people(3)
    for other in 1...2 { try await world.befriend(0, other) }
    try await world.share(.precise, of: 0)
    try await world.share(.precise, of: 1, with: 0)
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: 0)
    try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: 1)
    try await silence(world)
    try await delete(0, in: world)
    #expect(
      try await words(2, in: world).sorted() == ["DELETE friendships", "DELETE locations"])
    #expect(try await world.stored(of: 0) == nil)
    // Nobody else could see the friend, so that nothing is left to be stored.
    #expect(try await world.stored(of: 1) == nil)
  }

  // MARK: - Missions

  @Test func `a mission that others are in is cancelled and theirs`() async throws {
    let world = try await people(4)
    for other in 1...3 { try await world.befriend(0, other) }
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    try await world.call(SayInMission(missionID: mission.id, text: "hello"), as: 0)
    try await world.invite(2, to: mission.id)
    try await silence(world)
    try await delete(0, in: world)

    #expect(
      try await words(1, in: world) == [
        "DELETE mission_members", "UPDATE missions", "DELETE mission_members",
        "INSERT mission_activity", "DELETE friendships",
      ])
    let left = try await world.mission(mission.id, as: 1)
    #expect(left.state == .cancelled)
    #expect(left.creatorID == nil)
    #expect(left.members.map(\.username) == ["person_1"])
    let lines = try await world.result(of: FetchMissionActivity(missionID: mission.id), as: 1)
    #expect(lines.map(\.kind) == [.cancelled, .joined, .created])
    #expect(lines.map { $0.username } == [nil, "person_1", nil])
    // Whom only the creator asked, and who only saw it as their friend.
    for other in 2...3 {
      #expect(try await words(other, in: world).contains("DELETE missions"))
      #expect(
        try await world.refusal(of: FetchMission(missionID: mission.id), as: other) == "not_found")
    }
  }

  @Test func `a mission that was over stays as it was`() async throws {
    let world = try await people(2)
    try await world.befriend(0, 1)
    let mission = try await world.create()
    try await world.join(mission.id, as: 1)
    try await world.call(CompleteMission(missionID: mission.id), as: 0)
    try await delete(0, in: world)
    let left = try await world.mission(mission.id, as: 1)
    #expect(left.state == .completed)
    #expect(
      try await world.lines(of: mission.id, as: 1) == [.completed, .joined, .created])
  }

  @Test func `a mission that nobody else is in goes, and whoever saw it is told`() async throws {
    let world = try await people(2)
    try await world.befriend(0, 1)
    let mission = try await world.create()
    try await silence(world)
    try await delete(0, in: world)
    #expect(try await words(1, in: world) == ["DELETE missions", "DELETE friendships"])
    let (key, storage) = (mission.id.wireText, world.storage)
    #expect(try await storage.read { try MissionRecords.find(key, in: $0) } == nil)
  }

  @Test func `what they did in others' missions stays without their name`() async throws {
    let world = try await people(4)
    for other in 1...3 { try await world.befriend(0, other) }
    try await world.befriend(1, 3)
    let mission = try await world.create(
      .sample(objectives: [.init(title: "Door", count: 2)]), as: 0)
    for other in 1...3 { try await world.join(mission.id, as: other) }
    let objective = mission.objectives[0].id
    try await world.call(
      CheckIn(
        missionID: mission.id, objectiveID: objective, at: .lisbon, accuracyMetres: 5),
      as: 1)
    let other = try await world.create(.sample("Other", objectives: [.init(title: "Roof")]), as: 0)
    try await world.join(other.id, as: 1)
    try await world.call(
      CheckIn(
        missionID: other.id, objectiveID: other.objectives[0].id, at: .lisbon, accuracyMetres: 5),
      as: 1)
    // The last of them does not exist for the third, who hears nothing of the row that goes.
    try await world.block(2, by: 1)
    try await silence(world)
    try await delete(1, in: world)

    #expect(
      try await words(0, in: world) == [
        "DELETE mission_members", "UPDATE missions", "DELETE mission_members", "UPDATE missions",
        "DELETE friendships",
      ])
    #expect(try await words(2, in: world).isEmpty)
    let seen = try await world.mission(mission.id, as: 0)
    #expect(seen.memberCount == 3)
    #expect(seen.objectives[0].checkIns == 1)
    #expect(seen.objectives[0].lastBy == nil)
    func hasNameless(_ id: UUID) async throws -> Bool {
      try await world.result(of: FetchMissionActivity(missionID: id), as: 0).contains {
        $0.kind == .checkedIn && $0.username == nil
      }
    }
    #expect(try await hasNameless(other.id))
    // Without a name it would appear to the one who does not know of the person.
    #expect(try await !hasNameless(mission.id))
  }

  @Test func `whom they brought stays, and a code they used up stays used up`() async throws {
    let world = try await people(4)
    try await world.befriend(0, 1)
    try await world.befriend(1, 2)
    let mission = try await world.create(.sample(visibility: .invited))
    try await world.invite(1, to: mission.id)
    try await world.join(mission.id, as: 1)
    try await world.invite(2, to: mission.id, as: 1)
    try await world.join(mission.id, as: 2)
    let code = try await world.result(of: CreateInvitation(missionID: nil), as: 0).code
    try await world.call(AcceptInvitation(code: code), as: 1)
    let other = try await world.result(of: CreateInvitation(missionID: nil), as: 2).code
    try await world.call(AcceptInvitation(code: other), as: 1)
    let fresh = try await world.result(of: CreateInvitation(missionID: nil), as: 0).code
    try await world.call(RemoveFriend(userID: world.members[1].id), as: 0)
    try await world.call(AcceptInvitation(code: fresh), as: 1)
    try await delete(1, in: world)
    #expect(try await world.mission(mission.id, as: 2).myState == .joined)
    #expect(
      try await world.refusal(of: AcceptInvitation(code: fresh), as: 3) == "invitation_over")
  }
}
