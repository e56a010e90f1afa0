import RallyServer
import RallyWire
import Testing

@testable import RallyRules

@Suite struct RateLimiterTests {
  private let start = WireTime(microseconds: 1_000_000_000)
  private let a = ClientAddress("192.0.2.1")
  private let b = ClientAddress("192.0.2.2")

  private func limiter(_ budgets: [Budget: Int]) -> RateLimiter {
    RateLimiter(budgets: BudgetKeeper(Budgets(budgets)))
  }

  @Test func `an address may use its bucket and then waits for a refill`() async throws {
    let limiter = limiter([.signUpsPerAddress: 3, .signInsPerAddress: 30])
    for _ in 0..<3 { #expect(try await limiter.delay(.signUp, address: a, at: start) == nil) }
    // Three in 300 s is one in 100 s.
    #expect(try await limiter.delay(.signUp, address: a, at: start) == 100)
    let later = start.advanced(by: .seconds(99))
    #expect((1...2).contains(try await limiter.delay(.signUp, address: a, at: later) ?? 0))
    #expect(
      try await limiter.delay(.signUp, address: a, at: start.advanced(by: .seconds(101))) == nil)
  }

  @Test func `addresses and kinds have buckets of their own`() async throws {
    let limiter = limiter([.signUpsPerAddress: 1, .signInsPerAddress: 1])
    #expect(try await limiter.delay(.signUp, address: a, at: start) == nil)
    #expect(try await limiter.delay(.signIn, address: a, at: start) == nil)
    #expect(try await limiter.delay(.signUp, address: b, at: start) == nil)
    #expect(try await limiter.delay(.signUp, address: a, at: start) != nil)
  }

  @Test func `the addresses of one IPv6 network share a bucket`() async throws {
    let limiter = limiter([.signUpsPerAddress: 1, .signInsPerAddress: 1])
    #expect(
      try await limiter.delay(.signUp, address: ClientAddress("2001:db8::1"), at: start) == nil)
    #expect(
      try await limiter.delay(.signUp, address: ClientAddress("2001:db8::2"), at: start) != nil)
    #expect(
      try await limiter.delay(.signUp, address: ClientAddress("2001:db8:0:1::2"), at: start) == nil)
  }

  @Test func `an account is limited wherever it is asked for from`() async throws {
    let limiter = limiter([.signUpsPerAddress: 9, .signInsPerAddress: 9, .guessesPerAccount: 2])
    #expect(try await limiter.delay(.signIn, address: a, account: "ana", at: start) == nil)
    #expect(try await limiter.delay(.signIn, address: b, account: "ana", at: start) == nil)
    #expect(try await limiter.delay(.signIn, address: nil, account: "ana", at: start) == 150)
    #expect(try await limiter.delay(.signIn, address: a, account: "ben", at: start) == nil)
  }

  @Test func `guesses at an account are counted where they are made, and all together`()
    async throws
  {
    let limiter = limiter([.guessesPerAccountAndAddress: 2, .guessesPerAccount: 3])
    func guess(_ address: ClientAddress?, _ account: String = "ana") async throws -> Bool {
      try await limiter.guessDelay(.signIn, account: account, address: address, at: start) == nil
    }
    #expect(try await [guess(a), guess(a), guess(a)] == [true, true, false])
    #expect(try await [guess(b), guess(b)] == [true, false])
    // The bucket of the account is empty for whoever was never there.
    #expect(try await !guess(ClientAddress("192.0.2.3")))
    #expect(try await !guess(nil))
    #expect(try await guess(a, "ben"))
  }

  @Test func `an owner gets in where they did before, however many guess elsewhere`() async throws {
    let limiter = limiter([.guessesPerAccountAndAddress: 2, .guessesPerAccount: 3])
    let home = ClientAddress("192.0.2.9")
    #expect(try await limiter.guessDelay(.signIn, account: "ana", address: home, at: start) == nil)
    try await limiter.didEnter(.signIn, account: "ana", from: home)
    for number in 10..<30 {
      _ = try await limiter.guessDelay(
        .signIn, account: "ana", address: ClientAddress("198.51.100.\(number)"), at: start)
    }
    #expect(try await limiter.guessDelay(.signIn, account: "ana", address: b, at: start) != nil)
    // The right password uses nothing up; a wrong one there does.
    for _ in 0..<5 {
      #expect(
        try await limiter.guessDelay(.signIn, account: "ana", address: home, at: start) == nil)
      try await limiter.didEnter(.signIn, account: "ana", from: home)
    }
    for _ in 0..<2 {
      #expect(
        try await limiter.guessDelay(.signIn, account: "ana", address: home, at: start) == nil)
    }
    #expect(try await limiter.guessDelay(.signIn, account: "ana", address: home, at: start) != nil)
  }

  @Test func `addresses that are remembered are bounded, and the last ones are kept`() {
    var known = KnownAddresses()
    for number in 0..<(3 * KnownAddresses.capacity) { known.insert(a, of: "\(number)") }
    #expect(known.count <= 2 * KnownAddresses.capacity)
    for number in 1...20 { known.insert(ClientAddress("192.0.2.\(number)"), of: "ana") }
    let kept = (1...20).filter { known.contains(ClientAddress("192.0.2.\($0)"), of: "ana") }
    #expect(kept == Array((21 - KnownAddresses.perAccount)...20))
    #expect(!known.contains(a, of: "ben"))
  }

  @Test func `what one bucket refuses takes nothing from the other`() async throws {
    let limiter = limiter([.signUpsPerAddress: 2, .signInsPerAddress: 2, .guessesPerAccount: 1])
    #expect(try await limiter.delay(.signIn, address: a, account: "ana", at: start) == nil)
    for _ in 0..<5 {
      #expect(try await limiter.delay(.signIn, address: a, account: "ana", at: start) != nil)
    }
    #expect(try await limiter.delay(.signIn, address: a, account: "ben", at: start) == nil)
  }

  @Test func `a Unix socket and a server without limits are not limited`() async throws {
    let limited = limiter([.signUpsPerAddress: 1, .signInsPerAddress: 1])
    let free = RateLimiter(budgets: BudgetKeeper(.withoutRates))
    for _ in 0..<5 {
      #expect(try await limited.delay(.signUp, address: nil, at: start) == nil)
      #expect(try await free.delay(.signUp, address: a, account: "ana", at: start) == nil)
    }
  }

  @Test func `a crowd of addresses fills no memory and frees nobody who came lately`() async throws
  {
    let store = LocalRateLimitStore()
    let limiter = RateLimiter(
      budgets: BudgetKeeper(Budgets([.signUpsPerAddress: 1, .signInsPerAddress: 1])), store: store)
    for number in 0..<(3 * LocalRateLimitStore.capacity) {
      _ = try await limiter.delay(.signUp, account: "\(number)", at: start)
      if number % 1000 == 0 { _ = try await limiter.delay(.signIn, address: a, at: start) }
    }
    #expect(store.count <= 2 * 2 * LocalRateLimitStore.capacity)
  }

  @Test func `guesses at an account are remembered, however many names are made up`() async throws {
    let limiter = limiter([.guessesPerAccountAndAddress: 1, .searchesPerPerson: 1])
    func guess() async throws -> Int? {
      try await limiter.guessDelay(.signIn, account: "ana", address: a, at: start)
    }
    #expect(try await guess() == nil)
    for number in 0..<(3 * LocalRateLimitStore.capacity) {
      let name = "\(number)"
      _ = try await limiter.guessDelay(
        .signIn, account: name, isAccount: false, address: a, at: start)
      _ = try await limiter.delay(
        .search, address: ClientAddress("2001:db8:\(number % 10_000)::1"), account: name, at: start)
    }
    #expect(try await guess() != nil)
  }

  @Test func `a name that was made up is refused as an account is`() async throws {
    let limiter = limiter([.guessesPerAccountAndAddress: 2, .guessesPerAccount: 3])
    for isAccount in [true, false] {
      var delays: [Bool] = []
      for _ in 0..<3 {
        delays.append(
          try await limiter.guessDelay(
            .signIn, account: "\(isAccount)", isAccount: isAccount, address: a, at: start) == nil)
      }
      #expect(delays == [true, true, false])
    }
  }

  @Test func `the budgets of a server that is not told otherwise fit a group`() {
    let budgets = ServerConfiguration(listeners: [], database: .inMemory).budgets
    #expect(budgets == .standard)
    for (budget, range) in [
      .signUpsPerAddress: 50...1000, .signInsPerAddress: 200...5000, .guessesPerAccount: 150...1000,
      .guessesPerAccountAndAddress: 5...50, .profileChangesPerPerson: 20...120,
      .refreshesPerSession: 30...500, .searchesPerPerson: 100...2000,
      .requestsPerPerson: 20...300, .invitationsPerPerson: 20...300, .peoplePerAddress: 5...100,
      .connectionsPerAddress: 50...1000, .connections: 1000...50_000,
      .sockets: 500...budgets[.connections],
    ] as [Budget: ClosedRange<Int>] {
      #expect(range.contains(budgets[budget]), "\(budget.rawValue): \(budgets[budget])")
    }
  }

  @Test func `what people could abuse has a limit, what they read has none`() {
    typealias Kind = RateLimiter.Kind
    #expect(Kind(name: "search_people") == .search)
    #expect(Kind(name: "request_friend") == .request)
    #expect(Kind(name: "accept_invitation") == .invitation)
    #expect(Kind(name: "update_profile") == .profileChange)
    #expect(Kind(name: "fetch_friends") == nil)
  }
}
