import Foundation
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What a phone is told of friends.
@Suite struct PhoneFriendsTests {
  private static func decoded(_ messages: [OwnTracksMessage]) throws -> OwnTracksReply {
    try OwnTracksReply(WireJSON.encode(messages))
  }

  @Test(.everyEngine) func `a precise friend is told in whole numbers`() async throws {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 1)
    let report = LocationReport(
      coordinate: .lisbon, accuracyMetres: 11.2, speed: 10.1, course: 359.9, battery: 79.6,
      recordedAt: world.now, source: "gps")
    try await world.call(PublishLocations(locations: [report]), as: 1)
    let phone = try await world.post(PhonePost(), with: try await world.addPhone(of: 0))
    let location = try #require(try Self.decoded(try await world.reply(to: phone)).locations.first)
    #expect(location.lat == 38.7223 && location.lon == -9.1393)
    #expect(location.acc == 12 && location.vel == 36 && location.cog == 0 && location.batt == 80)
    #expect(location.tst == world.now.microseconds / 1_000_000)
    #expect(location.topic == "owntracks/person_1/phone")
  }

  @Test(.everyEngine) func `a card comes once a day, and when the name changes`() async throws {
    let world = try await ServerWorld(members: 3, at: ServerWorld.noon)
    for friend in 1...2 {
      try await world.befriend(0, friend)
      try await world.share(.precise, of: friend)
      try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: friend)
    }
    let phone = try await world.post(PhonePost(), with: try await world.addPhone(of: 0))
    let other = try await world.post(PhonePost(), with: try await world.addPhone(of: 0))
    func cards(_ phone: StoredPhone) async throws -> [String] {
      try Self.decoded(try await world.reply(to: phone)).cards.map(\.name).sorted()
    }
    #expect(try await cards(phone) == ["person_1", "person_2"])
    #expect(try await cards(phone) == [])
    #expect(try await cards(other) == ["person_1", "person_2"])
    _ = try await world.result(of: UpdateProfile(displayName: "Benedita"), as: 1)
    #expect(try await cards(phone) == ["Benedita"])
    world.wait(seconds: 86_399)
    #expect(try await cards(phone) == [])
    world.wait(seconds: 1)
    #expect(try await cards(phone) == ["Benedita", "person_2"])
  }

  @Test(.everyEngine) func `the blocked, ghosts and those whose share ended are not in it`()
    async throws
  {
    let world = try await ServerWorld(members: 5, at: ServerWorld.noon)
    for friend in 1...4 {
      try await world.befriend(0, friend)
      try await world.share(
        .precise, of: friend, until: friend == 2 ? world.now.advanced(by: .seconds(60)) : nil)
      try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: friend)
    }
    let phone = try await world.post(PhonePost(), with: try await world.addPhone(of: 0))
    func topics() async throws -> [String] {
      let reply = try Self.decoded(try await world.reply(to: phone))
      #expect(Set(reply.cards.map(\.topic)).isSubset(of: reply.locations.map(\.topic)))
      return reply.locations.map { $0.topic.split(separator: "/")[1] }.map(String.init).sorted()
    }
    #expect(try await topics() == (1...4).map { "person_\($0)" })
    try await world.call(SetGhost(isGhost: true), as: 1)
    world.wait(seconds: 60)
    try await world.call(BlockUser(userID: world.members[0].id), as: 3)
    // Nobody had to say so first: the share ends by the clock.
    #expect(try await topics() == ["person_4"])
    try await world.call(BlockUser(userID: world.members[4].id), as: 0)
    #expect(try await topics() == [])
  }

  @Test(.everyEngine) func `of very many friends the newest are told`() async throws {
    let world = try await ServerWorld(members: 4, at: ServerWorld.noon)
    for friend in [2, 1, 3] {
      world.wait(seconds: 1)
      try await world.befriend(0, friend)
      try await world.share(.precise, of: friend)
      try await world.call(PublishLocations(locations: [.sample(at: world.now)]), as: friend)
    }
    let (reader, now) = (world.members[0].caller.userID, world.now)
    func seen(_ limit: Int) async throws -> [PhoneFriends.Friend] {
      try await world.storage.read {
        try PhoneFriends.seen(by: reader, at: now, limit: limit, in: $0)
      }
    }
    #expect(try await seen(3).map(\.profile.username) == ["person_1", "person_2", "person_3"])
    let few = try await seen(2)
    #expect(few.map(\.profile.username) == ["person_1", "person_3"])
    #expect(Set(few.map(\.tid)).count == 2)
  }

  // MARK: - No finer bit

  private static let people = 4

  /// Random sharing, friendships and walks.
  private static func step(
    _ world: ServerWorld, using numbers: inout SeededGenerator
  ) async throws {
    let a = Int.random(in: 0..<people, using: &numbers)
    let b = (a + Int.random(in: 1..<people, using: &numbers)) % people
    switch Int.random(in: 0..<12, using: &numbers) {
    case 0..<5:
      let place = Coordinate.at(
        38 + .random(in: -0.3...0.3, using: &numbers), -9 + .random(in: -0.3...0.3, using: &numbers)
      )
      try await world.call(PublishLocations(locations: [.sample(place, at: world.now)]), as: a)
    case 5..<9:
      let mode = SharingMode.allCases.randomElement(using: &numbers) ?? .off
      let until =
        Bool.random(using: &numbers)
        ? world.now.advanced(by: .seconds(.random(in: 1...4000, using: &numbers))) : nil
      try await world.share(mode, of: a, with: Bool.random(using: &numbers) ? b : nil, until: until)
    case 9: try await world.call(RemoveFriend(userID: world.members[b].id), as: a)
    case 10: try await world.befriend(a, b)
    default: world.wait(seconds: .random(in: 1...3000, using: &numbers))
    }
  }

  /// Every number of a reply follows from what the same reader may fetch.
  private static func check(_ reply: OwnTracksReply, against rows: [LocationRecord]) {
    #expect(reply.locations.count == rows.count)
    #expect(Set(reply.locations.map(\.tid)).count == reply.locations.count)
    for (location, row) in zip(reply.locations, rows) {
      #expect(location.lat == row.latitude && location.lon == row.longitude)
      #expect(location.tst == row.recordedAt.microseconds / 1_000_000)
      #expect(location.acc == row.accuracyMetres.map { Int($0.rounded(.up)) })
      #expect((location.vel == nil) == (row.speed == nil))
      #expect((location.cog == nil) == (row.course == nil))
      #expect((location.batt == nil) == (row.battery == nil))
      guard let level = row.precision.gridLevel else { continue }
      #expect(location.vel == nil && location.cog == nil && location.batt == nil)
      #expect(location.tst % 900 == 0)
      #expect(location.acc == Int(level.accuracyMetres))
    }
  }

  /// Each seed has 125 worlds, one after each step.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `no reply holds a finer bit than the reader may fetch`(_ seed: UInt64) async throws {
    var numbers = SeededGenerator(seed: seed)
    let world = try await ServerWorld(members: Self.people, at: ServerWorld.noon)
    var phones: [StoredPhone] = []
    for a in 0..<Self.people {
      for b in 0..<a { try await world.befriend(a, b) }
      phones.append(try await world.post(PhonePost(), with: try await world.addPhone(of: a)))
    }
    var shown: Set<SharingMode> = []
    for _ in 0..<125 {
      try await Self.step(world, using: &numbers)
      for reader in 0..<Self.people {
        let rows = try await world.result(of: FetchFriendLocations(), as: reader)
        shown.formUnion(rows.map(\.precision))
        Self.check(try Self.decoded(try await world.reply(to: phones[reader])), against: rows)
      }
    }
    #expect(shown.count == 3 || !SeededGenerator.isUsual)
  }
}
