import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// Posts that come late, twice, out of order, or in thousands.
@Suite(.everyEngine) struct PhoneInboxTests {
  private static func world() async throws -> (ServerWorld, AccessSecret) {
    let world = try await ServerWorld(members: 2, at: ServerWorld.noon)
    try await world.befriend(0, 1)
    try await world.share(.precise, of: 0)
    let secret = try await world.addPhone(of: 0)
    _ = try await heard(in: world)
    return (world, secret)
  }

  /// How many events reached the friend.
  private static func heard(in world: ServerWorld) async throws -> Int {
    try await world.turn()
    return await world.frames(for: 1).count
  }

  private static func seen(in world: ServerWorld) async throws -> LocationRecord? {
    try await world.result(of: FetchFriendLocations(), as: 1).first
  }

  private static func phone(in world: ServerWorld) async throws -> PhoneRecord? {
    try await world.result(of: FetchPhones(), as: 0).first
  }

  @Test func `an older fix never replaces a newer one, and a repeated one changes nothing`()
    async throws
  {
    let (world, secret) = try await Self.world()
    let post = PhonePost(fixes: [.sample(.lisbon, at: world.now)])
    try await world.post(post, with: secret)
    #expect(try await Self.heard(in: world) == 1)
    let first = try #require(try await Self.seen(in: world))
    #expect(first.coordinate == .lisbon && first.battery == 73 && first.source == "owntracks")
    world.wait(seconds: 10)
    try await world.post(post, with: secret)
    let before = world.now.advanced(by: .seconds(-600))
    try await world.post(PhonePost(fixes: [.sample(.porto, at: before)]), with: secret)
    #expect(try await Self.heard(in: world) == 0)
    #expect(try await Self.seen(in: world) == first)
    let listed = try #require(try await Self.phone(in: world))
    #expect(listed.lastFixAt == first.recordedAt)
    #expect(listed.lastPostAt == world.now)
    #expect(listed.problem == nil)
  }

  @Test func `a thousand fixes are one change`() async throws {
    let (world, secret) = try await Self.world()
    let start = world.now.advanced(by: .seconds(-1000))
    var fixes = (1...1000).map { second in
      PhoneFix.sample(
        .at(38 + Double(second) / 1000, -9), at: start.advanced(by: .seconds(Int64(second))))
    }
    fixes.swapAt(0, 999)
    try await world.post(PhonePost(fixes: fixes), with: secret)
    #expect(try await Self.heard(in: world) == 1)
    let seen = try #require(try await Self.seen(in: world))
    #expect(seen.coordinate == .at(39, -9))
    #expect(seen.version == 1)
  }

  @Test func `a fix that can never be taken stands in the list, and the others count`()
    async throws
  {
    let (world, secret) = try await Self.world()
    let ahead = world.now.advanced(by: .seconds(3 * 3600))
    try await world.post(
      PhonePost(fixes: [.sample(.porto, at: ahead), .sample(.lisbon, at: world.now)]),
      with: secret)
    #expect(try await Self.seen(in: world)?.coordinate == .lisbon)
    let listed = try #require(try await Self.phone(in: world))
    #expect(listed.problem == "The phone's clock is 3 h ahead.")
    #expect(listed.problemAt == world.now)
    // It stays for a day of good ones.
    world.wait(seconds: 3600)
    try await world.post(PhonePost(fixes: [.sample(at: world.now)]), with: secret)
    #expect(try await Self.phone(in: world)?.problem != nil)
    world.wait(seconds: 86_400)
    try await world.post(PhonePost(fixes: [.sample(at: world.now)]), with: secret)
    #expect(try await Self.phone(in: world)?.problem == nil)
  }

  @Test func `a phone without a fix keeps what is known, and says so until it has one`()
    async throws
  {
    let (world, secret) = try await Self.world()
    try await world.post(PhonePost(fixes: [.sample(.lisbon, at: world.now)]), with: secret)
    let known = try #require(try await Self.seen(in: world))
    world.wait(seconds: 60)
    try await world.post(PhonePost(fixes: [.sample(.at(0, 0), at: world.now)]), with: secret)
    #expect(try await Self.seen(in: world) == known)
    let listed = try #require(try await Self.phone(in: world))
    #expect(listed.problem == "The phone has no fix: it does not know where it is.")
    #expect(listed.lastFixAt == known.recordedAt && listed.lastPostAt == world.now)
    // In one request the newest word counts.
    world.wait(seconds: 60)
    let before = world.now.advanced(by: .seconds(-30))
    try await world.post(
      PhonePost(fixes: [.sample(.at(0, 0), at: before), .sample(.porto, at: world.now)]),
      with: secret)
    #expect(try await Self.seen(in: world)?.coordinate == .porto)
    #expect(try await Self.phone(in: world)?.problem == nil)
    world.wait(seconds: 60)
    try await world.post(
      PhonePost(
        fixes: [
          .sample(.lisbon, at: world.now.advanced(by: .seconds(-30))),
          .sample(.at(0, 0), at: world.now),
        ]), with: secret)
    #expect(try await Self.seen(in: world)?.coordinate == .lisbon)
    #expect(try await Self.phone(in: world)?.problem != nil)
  }

  @Test func `a fix ahead of its time shuts out no true one`() async throws {
    let (world, secret) = try await Self.world()
    let ahead = world.now.advanced(by: .seconds(290))
    try await world.post(PhonePost(fixes: [.sample(.porto, at: ahead)]), with: secret)
    world.wait(seconds: 20)
    // What waited in the phone since before is older.
    let before = world.now.advanced(by: .seconds(-600))
    try await world.post(PhonePost(fixes: [.sample(.downtown, at: before)]), with: secret)
    #expect(try await Self.seen(in: world)?.coordinate == .porto)
    world.wait(seconds: 20)
    let now = world.now.advanced(by: .seconds(-1))
    try await world.post(PhonePost(fixes: [.sample(.lisbon, at: now)]), with: secret)
    #expect(try await Self.seen(in: world)?.coordinate == .lisbon)
    #expect(try await Self.phone(in: world)?.lastFixAt == now)
  }

  @Test func `a repeated fix of a fast clock is taken once`() async throws {
    let (world, secret) = try await Self.world()
    let ahead = world.now.advanced(by: .seconds(240))
    try await world.post(PhonePost(fixes: [.sample(at: ahead)]), with: secret)
    let first = try #require(try await Self.seen(in: world))
    #expect(first.recordedAt == world.now)
    world.wait(seconds: 30)
    try await world.post(PhonePost(fixes: [.sample(at: ahead)]), with: secret)
    #expect(try await Self.seen(in: world) == first)
  }

  @Test func `a credential counts for its own app only`() async throws {
    let (world, secret) = try await Self.world()
    for app in PhoneApp.allCases where app != .owntracks {
      await #expect(throws: PhoneInbox.Unknown.self) {
        try await world.post(PhonePost(), with: secret, for: app)
      }
    }
    await #expect(throws: PhoneInbox.Unknown.self) {
      try await world.post(PhonePost(), with: .sample())
    }
  }

  @Test(arguments: [SharingMode.approximate1km, .approximate10km])
  func `what a phone knows is cut before it is stored`(_ mode: SharingMode) async throws {
    let (world, secret) = try await Self.world()
    try await world.share(mode, of: 0)
    try await world.post(
      PhonePost(fixes: [.sample(.lisbon, at: world.now.advanced(by: .seconds(-1)))]), with: secret)
    let stored = try #require(try await world.stored(of: 0))
    #expect(stored.precision == mode)
    #expect(stored.details == nil)
    #expect(stored.coordinate != .lisbon)
    try await world.share(.off, of: 0)
    world.wait(seconds: 1)
    try await world.post(PhonePost(fixes: [.sample(at: world.now)]), with: secret)
    #expect(try await world.stored(of: 0) == nil)
  }
}
