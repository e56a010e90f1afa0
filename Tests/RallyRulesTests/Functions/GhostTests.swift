import Foundation
import RallyServer
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// An account that is a ghost, whatever it shares.
@Suite(.everyEngine) struct GhostTests {
  /// Person 0 shares precisely with 1, about 10 km with everybody else, and is on the way to a mission
  /// of theirs with 3, who is no friend.
  private struct Scene {
    let world: ServerWorld
    let mission: UUID

    init() async throws {
      world = try await ServerWorld(
        members: 4, at: ServerWorld.noon, tables: ["locations", "location_sharing"])
      for friend in [1, 2] { try await world.befriend(0, friend) }
      try await world.share(.precise, of: 0, with: 1)
      try await world.share(.approximate10km, of: 0)
      mission = try await world.create(.sample(at: .porto), as: 0).id
      let code = try await world.result(
        of: CreateInvitation(missionID: mission, uses: 9), as: 0
      ).code
      try await world.call(AcceptInvitation(code: code), as: 3)
      #expect(try await begin() == nil)
      try await publish()
      try await quiet()
    }

    func begin() async throws -> String? {
      try await world.refusal(
        of: BeginOnMyWay(missionID: mission, userIDs: [world.members[3].id]), as: 0)
    }

    func publish(_ place: Coordinate = .lisbon) async throws {
      world.wait(seconds: 60)
      try await world.call(PublishLocations(locations: [.sample(place, at: world.now)]), as: 0)
    }

    func quiet() async throws {
      try await world.turn()
      for member in world.members.indices { _ = await world.frames(for: member) }
    }

    /// What each of the others sees, by every way to ask.
    func seen() async throws -> [SharingMode] {
      var seen: [SharingMode] = []
      for reader in 1...3 {
        let rows = try await world.result(of: FetchFriendLocations(), as: reader)
        #expect(try await world.rows(of: .locations, as: reader).count == rows.count)
        let coming = try await world.result(of: FetchComing(), as: reader)
        #expect(rows.isEmpty ? coming.allSatisfy { $0.location == nil } : true)
        seen.append(rows.first?.precision ?? .off)
      }
      return seen
    }

    func sharing() async throws -> [LocationSharingRecord] {
      try await world.result(of: FetchLocationSharing(), as: 0)
    }

    /// The kinds of events that a member heard of.
    func heard(_ member: Int) async throws -> [String] {
      try await world.turn()
      return try await world.frames(for: member).compactMap { frame in
        let data = try WireJSON.decode(JSONValue.self, from: Data(frame.utf8))["payload"]?["data"]
        guard let table = data?["table"]?.string, let type = data?["type"]?.string else {
          return nil
        }
        return "\(table) \(type)"
      }
    }

    func become(_ isGhost: Bool) async throws {
      #expect(try await world.refusal(of: SetGhost(isGhost: isGhost), as: 0) == nil)
    }
  }

  @Test func `nobody sees a ghost, every gate says why, and the shares stay as they are`()
    async throws
  {
    let scene = try await Scene()
    #expect(try await scene.seen() == [.precise, .approximate10km, .precise])
    let before = try await scene.sharing().filter { $0.isFriend != false }
    #expect(before.first?.isGhost == false)
    try await scene.become(true)
    #expect(try await scene.seen() == [.off, .off, .off])
    #expect(try await scene.world.stored(of: 0) == nil)
    let during = try await scene.sharing()
    #expect(during.first?.isGhost == true)
    #expect(during.dropFirst().allSatisfy { $0.withheld == .ghost && $0.location == nil })
    #expect(during.map(\.mode) == before.map(\.mode))
    #expect(during.map(\.isDefault) == before.map(\.isDefault))
    try await scene.become(false)
    let after = try await scene.sharing()
    #expect(after.map(\.mode) == before.map(\.mode))
    #expect(after.dropFirst().allSatisfy { $0.withheld == .noReport })
    // The way does not come back, and the position only with the next report.
    #expect(try await scene.seen() == [.off, .off, .off])
    try await scene.publish()
    #expect(try await scene.seen() == [.precise, .approximate10km, .off])
  }

  @Test func `readers hear a deletion, the own machines a hint, and nobody anything of reports`()
    async throws
  {
    let scene = try await Scene()
    try await scene.become(true)
    for reader in 1...3 { #expect(try await scene.heard(reader) == ["locations DELETE"]) }
    #expect(try await scene.heard(0).contains("location_sharing UPDATE"))
    let phone = try await scene.world.addPhone(of: 0)
    for place in [Coordinate.porto, .downtown] {
      try await scene.publish(place)
      _ = try await scene.world.post(
        PhonePost(fixes: [.sample(place, at: scene.world.now)]), with: phone)
    }
    for reader in 1...3 { #expect(try await scene.heard(reader) == []) }
    let id = scene.world.members[0].caller.userID
    let kept = try await scene.world.storage.read { database in
      try ["locations", "location_devices", "ways"].map { table in
        try Int.fetchOne(
          database,
          sql: "SELECT count(*) FROM \(table) WHERE \(table == "ways" ? "owner" : "user_id") = ?",
          arguments: [id]) ?? 0
      }
    }
    #expect(kept == [0, 0, 0])
    // A second ghost is the same one, and says nothing.
    try await scene.become(true)
    #expect(try await scene.heard(0) == [])
    try await scene.become(false)
    for reader in 1...3 { #expect(try await scene.heard(reader) == []) }
    #expect(try await scene.heard(0) == ["location_sharing UPDATE"])
  }

  @Test func `a share that knows nothing of the ghost is refused, and so is a way`() async throws {
    let scene = try await Scene()
    try await scene.become(true)
    let friend = scene.world.members[1].id
    for person in [friend, nil] {
      let call = SetLocationSharing(userID: person, mode: .approximate1km)
      #expect(try await scene.world.refusal(of: call, as: 0) == "ghost")
    }
    #expect(try await scene.begin() == "ghost")
    // To show less is never refused.
    try await scene.world.share(.off, of: 0, with: 1)
    #expect(try await scene.sharing().map(\.mode) == [.approximate10km, .off, .approximate10km])
  }

  @Test func `a share ends the ghost for one friend alone, or waits for the return`() async throws {
    let scene = try await Scene()
    try await scene.become(true)
    let friend = scene.world.members[2].id
    try await scene.world.call(
      SetLocationSharing(userID: friend, mode: .approximate1km, endsGhost: false), as: 0)
    try await scene.publish()
    #expect(try await scene.seen() == [.off, .off, .off])
    #expect(try await scene.sharing().map(\.mode) == [.approximate10km, .precise, .approximate1km])
    try await scene.world.call(
      SetLocationSharing(userID: friend, mode: .precise, endsGhost: true), as: 0)
    try await scene.publish()
    #expect(try await scene.seen() == [.off, .precise, .off])
    let rows = try await scene.sharing()
    #expect(rows.first?.isGhost == false)
    #expect(rows.map(\.mode) == [.off, .off, .precise])
  }
}
