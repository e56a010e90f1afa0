import Foundation
import RallyServer
import RallyStorage
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules

/// Member 0 is on the way to a mission in Lisbon; 1 is a friend and a member, 2 a member only, 3 a
/// friend of 0 who is no member.
@Suite(.everyEngine) struct OnMyWayFunctionsTests {
  private static let four = Duration.seconds(4 * 3600)

  private struct Scene {
    let world: ServerWorld
    let mission: UUID

    func id(_ member: Int) -> UUID { world.members[member].id }

    func begin(_ readers: [Int] = [1, 2], clientID: UUID? = nil) async throws -> String? {
      try await world.refusal(
        of: BeginOnMyWay(missionID: mission, userIDs: readers.map(id)), clientID: clientID, as: 0)
    }

    func publish(_ place: Coordinate = .downtown) async throws {
      try await world.call(PublishLocations(locations: [.sample(place, at: world.now)]), as: 0)
    }

    /// How precisely others see member 0.
    func seen() async throws -> [SharingMode] {
      var seen: [SharingMode] = []
      for reader in 1...3 {
        let rows = try await world.result(of: FetchFriendLocations(), as: reader)
        seen.append(rows.first { $0.userID == id(0) }?.precision ?? .off)
      }
      return seen
    }

    func coming(_ member: Int, all: Bool = false) async throws -> [ComingRecord] {
      try await world.result(of: FetchComing(missionID: all ? nil : mission), as: member)
    }

    /// What a member heard: table and kind.
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

    func quiet() async throws { for member in 0...3 { _ = try await heard(member) } }
  }

  private func scene(
    at centre: Coordinate = .lisbon, endsAt: WireTime? = nil
  ) async throws -> Scene {
    let world = try await ServerWorld(
      members: 4, at: ServerWorld.noon, tables: ["locations", "location_sharing", "missions"])
    for friend in [1, 3] { try await world.befriend(0, friend) }
    try await world.share(.approximate10km, of: 0, with: 3)
    let mission = try await world.create(.sample(at: centre, endsAt: endsAt), as: 1).id
    let code = try await world.result(of: CreateInvitation(missionID: mission, uses: 9), as: 1).code
    for guest in [0, 2] { try await world.call(AcceptInvitation(code: code), as: guest) }
    let scene = Scene(world: world, mission: mission)
    try await scene.quiet()
    return scene
  }

  @Test func `those who were named see precisely, also who is no friend, and nobody else more`()
    async throws
  {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    try await scene.publish()
    #expect(try await scene.seen() == [.precise, .precise, .approximate10km])
    #expect(try await scene.heard(2) == ["missions UPDATE", "locations INSERT"])
    #expect(try await scene.heard(3) == ["locations INSERT"])
    let own = try #require(try await scene.coming(0).first)
    #expect(own.readers.map(\.userID) == [scene.id(1), scene.id(2)])
    #expect(own.beganAt == world.now && own.until == world.now.advanced(by: Self.four))
    #expect(own.location?.coordinate == .downtown)
    let other = try #require(try await scene.coming(2).first)
    #expect(other.userID == scene.id(0) && other.readers.isEmpty)
    #expect(other.location?.coordinate == .downtown)
    #expect(try await scene.coming(3, all: true).isEmpty)
    // The owner is told what the friend sees by the own setting and by the way.
    let rows = try await world.result(of: FetchLocationSharing(), as: 0)
    let row = try #require(rows.first { $0.userID == scene.id(1) })
    #expect(row.mode == .off && row.location?.precision == .precise)
    #expect(row.wayUntil == own.until && row.isFriend == true)
    let stranger = try #require(rows.last)
    #expect(stranger.userID == scene.id(2) && stranger.isFriend == false)
    #expect(stranger.location?.coordinate == .downtown && stranger.wayUntil == own.until)
  }

  @Test func `a member who is not named, and a later one, see and hear nothing`() async throws {
    let scene = try await scene()
    #expect(try await scene.begin([2, 3]) == nil)
    try await scene.world.invite(3, to: scene.mission, as: 0)
    try await scene.world.join(scene.mission, as: 3)
    try await scene.publish()
    #expect(try await scene.seen() == [.off, .precise, .approximate10km])
    for member in [1, 3] { #expect(try await scene.coming(member).isEmpty) }
    #expect(try await scene.heard(1).allSatisfy { !$0.hasPrefix("locations") })
    #expect(try await scene.coming(0).first?.readers.map(\.userID) == [scene.id(2)])
  }

  @Test func `refusals say why`() async throws {
    let scene = try await scene()
    let world = scene.world
    func refusal(_ member: Int, _ readers: [Int]) async throws -> String? {
      try await world.refusal(
        of: BeginOnMyWay(missionID: scene.mission, userIDs: readers.map(scene.id)), as: member)
    }
    func comingRefusal(_ mission: UUID) async throws -> String? {
      try await world.refusal(of: FetchComing(missionID: mission), as: 3)
    }
    #expect(try await refusal(3, [1]) == "not_found")
    // Whether anybody comes to a mission is told as little as whether there is one.
    for mission in [scene.mission, UUID()] {
      #expect(try await comingRefusal(mission) == "not_found")
    }
    try await world.invite(3, to: scene.mission, as: 0)
    #expect(try await refusal(3, [1]) == "not_member")
    #expect(try await comingRefusal(scene.mission) == "not_member")
    #expect(try await refusal(0, [0, 3]) == "not_found")
    #expect(try await refusal(0, []) == "not_found")
    try await world.block(2, by: 0)
    #expect(try await refusal(0, [2]) == "not_found")
    try await world.call(UnblockUser(userID: scene.id(2)), as: 0)
    let many = (0...MissionRules.readerLimit).map { _ in UUID() }
    #expect(
      try await world.refusal(
        of: BeginOnMyWay(missionID: scene.mission, userIDs: many), as: 0) == "invalid_argument")
    try await world.call(CancelMission(missionID: scene.mission), as: 1)
    #expect(try await scene.begin() == "mission_over")
    #expect(try await scene.coming(0).isEmpty)
  }

  @Test(arguments: [
    "end", "end all", "leave", "cancel", "complete", "mission's end", "four hours", "inside",
    "ban", "earlier end",
  ])
  func `it ends for everybody, and the stored position with it`(_ end: String) async throws {
    let hour = ServerWorld.noon.advanced(by: .seconds(3600))
    let scene = try await scene(endsAt: end == "mission's end" ? hour : nil)
    let world = scene.world
    // Whoever shares nothing besides keeps nothing.
    try await world.share(.off, of: 0, with: 3)
    try await world.share(.approximate1km, of: 0, with: 1)
    #expect(try await scene.begin() == nil)
    try await scene.publish()
    #expect(try await world.stored(of: 0)?.precision == .precise)
    try await scene.quiet()
    switch end {
    case "end": try await world.call(EndOnMyWay(missionID: scene.mission), as: 0)
    case "end all": try await world.call(EndOnMyWay(), as: 0)
    case "leave": try await world.call(LeaveMission(missionID: scene.mission), as: 0)
    case "cancel": try await world.call(CancelMission(missionID: scene.mission), as: 1)
    case "complete": try await world.call(CompleteMission(missionID: scene.mission), as: 1)
    case "mission's end": world.now = hour
    case "four hours": world.now = world.now.advanced(by: Self.four)
    case "inside": try await scene.publish(.acrossTheStreet)
    case "ban":
      try await world.storage.write { [time = world.now] database in
        let user = try UserRecords.find(id: scene.id(0).wireText, in: database)
        try AccountStatus.disable(#require(user), at: time, in: database)
      }
    default:
      var update = UpdateMission(missionID: scene.mission)
      update.endsAt = .set(hour)
      try await world.call(update, as: 1)
      #expect(try await scene.coming(2).first?.until == hour)
      world.now = hour
    }
    // Before the clock was looked at, too.
    #expect(
      try await scene.seen()
        == (end == "ban" ? [.off, .off, .off] : [.approximate1km, .off, .off]))
    #expect(try await scene.heard(2).contains("locations DELETE"))
    #expect(try await world.stored(of: 0)?.precision == (end == "ban" ? nil : .approximate1km))
    #expect(try await scene.coming(2, all: true).allSatisfy { $0.until == nil })
    world.wait(seconds: 60)
    try await scene.publish(.porto)
    #expect(try await scene.heard(2).allSatisfy { !$0.hasPrefix("locations") })
    #expect(try await scene.seen()[1] == .off)
  }

  @Test func `an arrival is noted for those who saw the way, with its time`() async throws {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    // From a phone, with no program running.
    let secret = try await world.addPhone(of: 0)
    try await world.post(PhonePost(fixes: [.sample(.downtown, at: world.now)]), with: secret)
    world.wait(seconds: 600)
    try await scene.quiet()
    try await world.post(PhonePost(fixes: [.sample(.lisbon, at: world.now)]), with: secret)
    for member in 0...2 {
      let row = try #require(try await scene.coming(member).first)
      #expect(row.arrivedAt == world.now && row.until == nil && row.readers.isEmpty)
    }
    #expect(try await scene.heard(1).sorted() == ["locations DELETE", "missions UPDATE"])
    #expect(
      try await scene.heard(0).sorted() == [
        "location_sharing DELETE", "locations UPDATE", "missions UPDATE",
      ])
    try await world.call(LeaveMission(missionID: scene.mission), as: 2)
    #expect(try await scene.coming(2, all: true).isEmpty)
    try await world.call(CancelMission(missionID: scene.mission), as: 1)
    #expect(try await scene.coming(1).isEmpty)
  }

  @Test func `a place that is known too badly is no arrival`() async throws {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    let vague = LocationReport(
      coordinate: .lisbon, accuracyMetres: 2000, recordedAt: world.now, source: "gps")
    let coarse = LocationReport(
      in: GridCell(containing: .lisbon, level: .tenKilometres), at: world.now)
    for report in [vague, coarse] {
      try await world.call(PublishLocations(locations: [report]), as: 0)
      #expect(try await scene.coming(2).map(\.arrivedAt) == [nil])
    }
  }

  @Test func `a cell whose middle is the place is no arrival, and that very place is`() async throws
  {
    let middle = GridCell(containing: .lisbon, level: .oneKilometre).center
    let scene = try await scene(at: middle)
    #expect(try await scene.begin() == nil)
    for (precision, arrival) in [(.approximate1km, nil), (nil, scene.world.now)]
      as [(SharingMode?, WireTime?)]
    {
      let report = LocationReport.sample(middle, at: scene.world.now, precision: precision)
      try await scene.world.call(PublishLocations(locations: [report]), as: 0)
      #expect(try await scene.coming(2).map(\.arrivedAt) == [arrival])
    }
  }

  @Test func `who arrived is shown until the mission's end`() async throws {
    let end = ServerWorld.noon.advanced(by: .seconds(3600))
    let scene = try await scene(endsAt: end)
    #expect(try await scene.begin() == nil)
    try await scene.publish(.acrossTheStreet)
    scene.world.now = end.advanced(by: .seconds(-1))
    #expect(try await scene.coming(2).count == 1)
    // Before the clock was looked at, too.
    scene.world.now = end
    #expect(try await scene.coming(2).isEmpty)
    #expect(try await scene.coming(0, all: true).isEmpty)
  }

  @Test(arguments: ["leaves", "blocks", "is blocked", "goes"])
  func `a reader loses it for good, and the others keep it`(_ loss: String) async throws {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    try await scene.publish()
    try await scene.quiet()
    switch loss {
    case "leaves": try await world.call(LeaveMission(missionID: scene.mission), as: 2)
    case "blocks": try await world.block(0, by: 2)
    case "is blocked": try await world.block(2, by: 0)
    default:
      try await world.storage.write { [time = world.now] database in
        _ = try AccountDeletion.delete(scene.id(2).wireText, at: time, in: database)
      }
    }
    #expect(try await scene.coming(0).first?.readers.map(\.userID) == [scene.id(1)])
    #expect(try await scene.heard(0).contains { $0.hasPrefix("location_sharing") })
    guard loss != "goes" else { return }
    #expect(try await scene.heard(2).contains("locations DELETE"))
    #expect(try await scene.seen() == [.precise, .off, .approximate10km])
    switch loss {
    case "leaves": try await world.join(scene.mission, as: 2)
    case "blocks": try await world.call(UnblockUser(userID: scene.id(0)), as: 2)
    default: try await world.call(UnblockUser(userID: scene.id(2)), as: 0)
    }
    try await scene.publish(.porto)
    #expect(try await scene.seen()[1] == .off)
    #expect(try await scene.coming(2, all: true).isEmpty)
  }

  @Test
  func `what is reported after the end is no arrival, and is stored as coarsely as it is shared`()
    async throws
  {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    try await scene.publish()
    try await scene.quiet()
    // The feed has not looked at the clock yet.
    world.now = world.now.advanced(by: Self.four)
    try await scene.publish(.acrossTheStreet)
    #expect(try await world.stored(of: 0)?.precision == .approximate10km)
    #expect(try await scene.coming(2).isEmpty)
    #expect(try await scene.heard(2).filter { $0.hasPrefix("locations") } == ["locations DELETE"])
    #expect(try await scene.coming(0).isEmpty)
  }

  @Test func `of two ways one is ended, and who sees the other goes on seeing it`() async throws {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin([1, 2]) == nil)
    let other = try await world.create(.sample(visibility: .friends), as: 1).id
    try await world.call(JoinMission(missionID: other), as: 0)
    try await world.call(BeginOnMyWay(missionID: other, userIDs: [scene.id(1)]), as: 0)
    try await scene.publish()
    #expect(try await scene.seen() == [.precise, .precise, .approximate10km])
    try await world.call(EndOnMyWay(missionID: scene.mission), as: 0)
    #expect(try await scene.seen() == [.precise, .off, .approximate10km])
    #expect(try await scene.coming(0, all: true).map(\.missionID) == [other])
    try await world.call(EndOnMyWay(), as: 0)
    #expect(try await scene.seen() == [.off, .off, .approximate10km])
  }

  @Test func `an arrival is forgotten after a day`() async throws {
    let scene = try await scene()
    let world = scene.world
    #expect(try await scene.begin() == nil)
    try await scene.publish(.acrossTheStreet)
    func kept(after seconds: Int64) async throws -> Int {
      let time = world.now.advanced(by: .seconds(seconds))
      return try await world.storage.write { [mission = scene.mission.wireText] database in
        try OnMyWayRecords.trim(at: time, in: database)
        return try OnMyWayRecords.all(to: mission, in: database).count
      }
    }
    #expect(try await kept(after: 86_399) == 1)
    #expect(try await kept(after: 86_400) == 0)
  }

  @Test func `a repeated call does not begin it anew, and a new one replaces it`() async throws {
    let scene = try await scene()
    let world = scene.world
    let id = UUID()
    #expect(try await scene.begin(clientID: id) == nil)
    try await scene.publish()
    try await world.call(EndOnMyWay(), as: 0)
    #expect(try await scene.begin(clientID: id) == nil)
    #expect(try await scene.coming(0).isEmpty)
    #expect(try await scene.begin([1, 2]) == nil)
    try await scene.publish()
    try await scene.quiet()
    world.wait(seconds: 60)
    #expect(try await scene.begin([1]) == nil)
    #expect(try await scene.heard(2).sorted() == ["locations DELETE", "missions UPDATE"])
    #expect(try await scene.seen() == [.precise, .off, .approximate10km])
    let own = try await scene.coming(0)
    #expect(own.map(\.until) == [world.now.advanced(by: Self.four)])
  }

  @Test func `it ends with the owner's account`() async throws {
    let scene = try await scene()
    #expect(try await scene.begin() == nil)
    try await scene.publish()
    try await scene.quiet()
    try await scene.world.storage.write { [time = scene.world.now] database in
      _ = try AccountDeletion.delete(scene.id(0).wireText, at: time, in: database)
    }
    #expect(try await scene.coming(2, all: true).isEmpty)
    #expect(try await scene.heard(2).contains("locations DELETE"))
  }
}
