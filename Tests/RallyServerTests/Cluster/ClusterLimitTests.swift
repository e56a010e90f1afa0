import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Rate limits and lock-outs of two servers on one database.
@Suite struct ClusterLimitTests {
  private func signIn(
    _ password: String, on server: TestServer, from address: String
  ) async throws -> Int {
    try await RawClient(server).send(
      .POST, "/auth/v1/token?grant_type=password",
      ["email": "ana@example.org", "password": .string(password)],
      headers: ["X-Forwarded-For": address]
    ).status
  }

  @Test func `guesses at a password count together, and its owner is known to both`()
    async throws
  {
    try await ServerPair.with(configure: {
      $0.budgets = Budgets([.guessesPerAccountAndAddress: 4, .guessesPerAccount: 6])
      $0.trustedProxies = ["127.0.0.1"]
    }) { pair in
      _ = try await Person.signUp("ana", on: pair.one)
      let home = "192.0.2.9"
      #expect(try await signIn(Person.password, on: pair.one, from: home) == 200)
      var answers: [Int] = []
      for server in [pair.one, pair.other, pair.one, pair.other, pair.one, pair.other] {
        answers.append(try await signIn("wrong horse", on: server, from: "192.0.2.1"))
      }
      #expect(answers == [400, 400, 400, 400, 429, 429])
      // From many addresses, until the account is closed to strangers on both.
      for number in 20..<24 {
        _ = try await signIn("wrong horse", on: pair.one, from: "192.0.2.\(number)")
      }
      #expect(try await signIn("wrong horse", on: pair.other, from: "192.0.2.40") == 429)
      #expect(try await signIn(Person.password, on: pair.other, from: home) == 200)
    }
  }

  @Test func `a stranger's names are no rows`() async throws {
    try await ServerPair.with(configure: { $0.budgets = .standard }) { pair in
      let storage = Storage(try await PostgresEngine(pair.address, migrates: false))
      defer { try? storage.close() }
      let client = RawClient(pair.one)
      for _ in 0..<12 {
        let secret = AccessSecret.sample().value
        _ = try await client.send(.GET, "/calendar/\(secret).ics")
        _ = try await client.send(.POST, "/phone/traccar?id=\(secret)", [:])
        _ = try await client.send(
          .POST, "/auth/v1/token?grant_type=refresh_token", ["refresh_token": .string(secret)])
      }
      // Calendars, phones and refreshes of one address.
      let rows = try await storage.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM buckets")
      }
      #expect(rows == 3)
    }
  }

  @Test func `writes of a person count together`() async throws {
    try await ServerPair.with(configure: { $0.budgets[.missionsPerMinute] = 6 }) { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      var elsewhere = RawClient(pair.other)
      elsewhere.token = ana.session.accessToken
      // An account of today has a third.
      #expect(try await ana.client.call(CreateMission.sample("One")).status == 200)
      #expect(try await elsewhere.call(CreateMission.sample("Two")).status == 200)
      for client in [ana.client, elsewhere] {
        let refused = try await client.call(CreateMission.sample("Three"))
        #expect(refused.status == 429)
        #expect(refused.headers.first(name: "Retry-After") != nil)
      }
    }
  }

  @Test func `a server spends a part from memory, and all parts make one budget`() async throws {
    try await ServerPair.with { pair in
      let storage = Storage(try await PostgresEngine(pair.address, migrates: false))
      defer { try? storage.close() }
      let keys = KeyRing(try ServerKeys())
      let budgets = BudgetKeeper(Budgets([.searchesPerPerson: 32]))
      let limiters = (1...2).map { _ in
        RateLimiter(
          budgets: budgets, store: SharedRateLimitStore(storage: storage, keys: keys))
      }
      func left() async throws -> Double? {
        try await storage.read { try Double.fetchOne($0, sql: "SELECT tokens FROM buckets") }
      }
      #expect(try await limiters[0].delay(.search, account: "ana") == nil)
      let after = try #require(try await left())
      #expect(try await limiters[0].delay(.search, account: "ana") == nil)
      // The second came from memory.
      #expect(try await left() == after)
      var count = 2
      while try await limiters[count % 2].delay(.search, account: "ana") == nil { count += 1 }
      // As long as the bucket is not refilled by a token (9 s), the budget is all there is; what
      // one of them has in memory may be left.
      #expect((30...40).contains(count))
      #expect(budgets.refusals.first { $0.budget == .searchesPerPerson }?.count == 1)
    }
  }

  @Test func `guesses beyond the budget ask the database once a second`() async throws {
    try await ServerPair.with { pair in
      let monitor = StatementMonitor()
      let storage = Storage(
        ObservedEngine(
          base: try await PostgresEngine(pair.address, migrates: false), monitor: monitor))
      defer { try? storage.close() }
      let limiter = RateLimiter(
        budgets: BudgetKeeper(Budgets([.openedInvitationsPerAddress: 4])),
        store: SharedRateLimitStore(storage: storage, keys: KeyRing(try ServerKeys())))
      let address = try #require(ClientAddress("192.0.2.1"))
      while try await limiter.delay(.openInvitation, address: address) == nil {}
      _ = monitor.takeStatements()
      let begin = ContinuousClock.now
      for _ in 0..<10_000 {
        #expect(try await limiter.delay(.openInvitation, address: address) ?? 0 > 0)
      }
      let seconds = Int((ContinuousClock.now - begin).components.seconds)
      // A transaction has a few statements.
      #expect(monitor.takeStatements().count <= 8 * (seconds + 1))
    }
  }

  @Test func `a write that is short of its part is tried again once, and counted once`()
    async throws
  {
    try await ServerPair.with(configure: { $0.budgets[.missionsPerMinute] = 6 }) { pair in
      let ana = try await Person.signUp("ana", on: pair.one)
      let call = FunctionCall(CreateMission.sample("One"), clientID: UUID())
      let first = try await ana.result(of: call)
      for _ in 0..<3 { #expect(try await ana.result(of: call).id == first.id) }
      #expect(try await ana.client.call(CreateMission.sample("Two")).status == 200)
      #expect(try await ana.client.call(CreateMission.sample("Three")).status == 429)
    }
  }
}
