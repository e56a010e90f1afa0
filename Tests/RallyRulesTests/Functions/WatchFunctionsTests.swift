import Foundation
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// Links to watch: what they keep, and what ends them.
@Suite(.everyEngine) struct WatchFunctionsTests {
  private static let link = WatchLinkID("0123456789ABCDEF")!

  private func world() async throws -> ServerWorld {
    try await ServerWorld(members: 2, at: ServerWorld.noon)
  }

  private func make(
    _ world: ServerWorld, _ id: WatchLinkID = link, _ mode: SharingMode = .precise,
    seconds: Int64 = 3600, as member: Int = 0
  ) async throws -> String? {
    try await world.refusal(
      of: MakeWatchLink(
        linkID: id, mode: mode, until: world.now.advanced(by: .seconds(seconds))), as: member)
  }

  private func message(
    _ counter: Int64, _ byte: UInt8 = 7, bytes: Int = WatchRules.placeBytes
  ) -> WatchMessage {
    WatchMessage(
      counter: counter, sealed: Base64URL.encode([UInt8](repeating: byte, count: bytes)))
  }

  private func stored(_ world: ServerWorld) async throws -> StoredWatchLink? {
    try await world.storage.read { try WatchLinkRecords.find(Self.link, in: $0) }
  }

  @Test func `a link keeps its last messages alone, and takes none late or twice`() async throws {
    let world = try await world()
    #expect(try await make(world) == nil)
    let ground = message(1, 9, bytes: WatchRules.groundBytes)
    try await world.call(
      FeedWatchLink(linkID: Self.link, place: message(1), ground: ground), as: 0)
    try await world.call(FeedWatchLink(linkID: Self.link, place: message(3, 8)), as: 0)
    for late in [message(2, 5), message(3, 5)] {
      #expect(
        try await world.refusal(of: FeedWatchLink(linkID: Self.link, place: late), as: 0) == nil)
    }
    #expect(try await stored(world)?.state == WatchState(place: message(3, 8), ground: ground))
    #expect(
      try await world.storage.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM calls WHERE function = 'feed_watch_link'")
      } == 0)
  }

  @Test func `nobody else feeds, ends or lists it, and no message has another length`()
    async throws
  {
    let world = try await world()
    #expect(try await make(world) == nil)
    let feed = FeedWatchLink(linkID: Self.link, place: message(1))
    #expect(try await world.refusal(of: feed, as: 1) == "not_found")
    try await world.call(EndWatchLinks(linkID: Self.link), as: 1)
    try await world.call(EndWatchLinks(), as: 1)
    #expect(try await world.result(of: FetchWatchLinks(), as: 1).isEmpty)
    for wrong in [message(1, bytes: 40), message(0)] {
      #expect(
        try await world.refusal(of: FeedWatchLink(linkID: Self.link, place: wrong), as: 0)
          == "invalid_argument")
    }
    #expect(try await world.result(of: FetchWatchLinks(), as: 0).map(\.linkID) == [Self.link])
  }

  enum End: CaseIterable {
    case time, ghost, signOut, disabled, deleted, newPassword, maker
  }

  @Test(arguments: End.allCases)
  func `it ends with what ends it, in the same transaction`(_ end: End) async throws {
    let world = try await world()
    let id = world.members[0].caller.userID
    #expect(try await make(world) == nil)
    try await world.call(FeedWatchLink(linkID: Self.link, place: message(1)), as: 0)
    try await world.turn()
    let now = world.now
    func write(_ body: @escaping @Sendable (UserRecord, Database) throws -> Void) async throws {
      try await world.storage.write { database in
        guard let user = try UserRecords.find(id: id, in: database) else { return }
        try body(user, database)
      }
    }
    switch end {
    case .time:
      world.wait(seconds: 3599)
      try await world.turn()
      #expect(try await stored(world) != nil)
      world.wait(seconds: 1)
      // Before the feed has its turn nothing is taken or told any more.
      #expect(
        try await world.refusal(
          of: FeedWatchLink(linkID: Self.link, place: message(2)), as: 0) == "not_found")
      #expect(try await world.result(of: FetchWatchLinks(), as: 0).isEmpty)
      try await world.turn()
    case .ghost: try await world.call(SetGhost(isGhost: true), as: 0)
    case .signOut:
      try await write {
        try SessionRecords.end(
          SessionRecords.ids(ofUser: $0.id.wireText, in: $1), ofUser: $0.id.wireText, at: now,
          in: $1)
      }
    case .disabled: try await write { try AccountStatus.disable($0, at: now, in: $1) }
    case .deleted:
      try await write { try AccountDeletion.delete($0.id.wireText, at: now, in: $1) }
    case .newPassword:
      try await write { try AccountStatus.setPassword("", of: $0, at: now, in: $1) }
    case .maker: try await world.call(EndWatchLinks(linkID: Self.link), as: 0)
    }
    #expect(try await stored(world) == nil)
    #expect(
      try await world.storage.read {
        try String.fetchOne(
          $0,
          sql: "SELECT key FROM changes WHERE tbl = 'watch_links' AND op = 'delete'")
      } == Self.link.value)
  }

  @Test func `a person has five, of 24 hours at most, and none as a ghost or without https`()
    async throws
  {
    let world = try await world()
    #expect(try await make(world, seconds: 86_401) == "invalid_argument")
    #expect(try await make(world, seconds: 0) == "invalid_argument")
    #expect(try await make(world, Self.link, .off) == "invalid_argument")
    for digit in 1...5 {
      #expect(
        try await make(world, #require(WatchLinkID("\(digit)123456789ABCDEF")), seconds: 86_400)
          == nil)
    }
    #expect(try await make(world) == "budget_reached")
    #expect(try await make(world, as: 1) == nil)
    // A name that is taken is nobody else's.
    #expect(try await make(world, as: 1) == "invalid_argument")
    try await world.call(SetGhost(isGhost: true), as: 0)
    #expect(try await make(world, #require(WatchLinkID("8123456789ABCDEF"))) == "ghost")
    let plain = WatchFunctions(budgets: BudgetKeeper(), isSecure: false)
    let call = MakeWatchLink(
      linkID: Self.link, mode: .precise, until: WireTime.now.advanced(by: .seconds(60)))
    await #expect(throws: FunctionFailure.self) {
      try await world.storage.write { [caller = world.members[1].caller] in
        try plain.makeLink(call, caller: caller, in: $0)
      }
    }
  }

  @Test func `a phone's link is precise, and is fed and ended by who has its secret`() async throws
  {
    let world = try await world()
    let secret = try #require(AccessSecret(String(repeating: "s", count: AccessSecret.length)))
    let other = try #require(AccessSecret(String(repeating: "x", count: AccessSecret.length)))
    func call(_ mode: SharingMode) -> MakeWatchLink {
      MakeWatchLink(
        linkID: Self.link, mode: mode, until: world.now.advanced(by: .seconds(3600)),
        secret: secret)
    }
    for mode in [SharingMode.approximate1km, .approximate10km] {
      #expect(try await world.refusal(of: call(mode), as: 0) == "invalid_argument")
    }
    var wrong = call(.precise)
    wrong.secret = "short"
    #expect(try await world.refusal(of: wrong, as: 0) == "invalid_argument")
    #expect(try await world.result(of: call(.precise), as: 0).isFromPhone)
    #expect(try await world.result(of: FetchWatchLinks(), as: 0).map(\.isFromPhone) == [true])
    // The server has the secret's digest alone.
    #expect(try await stored(world)?.secretHash == secret.digest)

    let functions = WatchFunctions(
      budgets: BudgetKeeper(), isSecure: true, now: { [now = world.now] in now })
    func feed(_ counter: Int64, _ secret: AccessSecret) async throws {
      _ = try await world.storage.write { [message = message(counter)] in
        try functions.feedLink(Self.link, message, with: secret, in: $0)
      }
    }
    try await feed(5, secret)
    try await feed(4, secret)
    await #expect(throws: FunctionFailure.self) { try await feed(6, other) }
    #expect(try await stored(world)?.state.place == message(5))
    await #expect(throws: FunctionFailure.self) {
      try await world.storage.write { try functions.endLink(Self.link, with: other, in: $0) }
    }
    #expect(try await stored(world) != nil)
    try await world.storage.write { try functions.endLink(Self.link, with: secret, in: $0) }
    #expect(try await stored(world) == nil)
  }

  @Test func `a terminal's delays are the server's own, under its own secret`() throws {
    let bytes = (0..<32).map { UInt8($0) }
    let (key, secret) = (
      try #require(WatchKey(bytes: bytes)), try #require(SecretKey(bytes: bytes))
    )
    for text in ["", "rally move ana", String(repeating: "x", count: 300)] {
      #expect(key.digest(of: text) == Sodium.hmac(text.utf8, key: secret))
    }
  }
}
