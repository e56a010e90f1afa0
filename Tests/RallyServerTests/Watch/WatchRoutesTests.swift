import Foundation
import NIOCore
import NIOHTTP1
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What the page of a link to watch asks for, without an account.
@Suite(.everyEngine) struct WatchRoutesTests {
  private static let link = WatchLinkID("0123456789ABCDEF")!
  private let nothing = ["apikey": "", "authorization": ""]

  private func withLink(
    budgets: Budgets = .withoutRates, _ body: (TestServer, Person) async throws -> Void
  ) async throws {
    try await TestServer.with(configure: {
      $0.publicURL = "https://rally.example.test"
      $0.budgets = budgets
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await ana.result(
        of: MakeWatchLink(
          linkID: Self.link, mode: .precise, until: WireTime.now.advanced(by: .seconds(3600))))
      try await body(server, ana)
    }
  }

  private func feed(_ ana: Person, _ counter: Int64) async throws {
    _ = try await ana.result(of: FeedWatchLink(linkID: Self.link, place: message(counter)))
  }

  private func message(_ counter: Int64) -> WatchMessage {
    WatchMessage(
      counter: counter,
      sealed: Base64URL.encode(
        withUnsafeBytes(of: counter.bigEndian) { Array($0) }
          + [UInt8](repeating: 7, count: WatchRules.placeBytes - 8)))
  }

  private func get(_ path: String, _ server: TestServer) async throws -> RawClient.Reply {
    try await RawClient(server).send(.GET, path, headers: nothing)
  }

  private func stream(_ server: TestServer) async throws -> RawConnection {
    let connection = try await RawConnection(server)
    await connection.send("GET /w/\(Self.link)/stream HTTP/1.1\r\nHost: x\r\n\r\n")
    return connection
  }

  /// Has a page told something again and again.
  ///
  /// - Returns: The longest time in which it was told nothing.
  private func keep(
    _ page: RawConnection, busyFor time: Duration, _ ana: Person, after counter: inout Int64
  ) async throws -> Duration {
    let begin = ContinuousClock.now
    var (last, longest) = (begin, Duration.zero)
    while begin.duration(to: .now) < time, !page.isClosed {
      counter += 1
      try await feed(ana, counter)
      let sealed = message(counter).sealed
      try await page.wait("a message") { $0.text.contains(sealed) || $0.isClosed }
      longest = max(longest, last.duration(to: .now))
      last = .now
      // Often enough for the shortest limit, and not for its own sake.
      try await Task.sleep(for: .milliseconds(50))
    }
    return longest
  }

  @Test func `the page has the invitation's policy, less than 60 kB, and nothing of anybody`()
    async throws
  {
    try await withLink { server, _ in
      let reply = try await get("/w", server)
      #expect(reply.status == 200)
      #expect(reply.body.count < 60_000)
      let invitation = try await get("/i", server)
      for name in ["referrer-policy", "x-robots-tag", "x-content-type-options", "cache-control"] {
        #expect(reply.headers.first(name: name) == invitation.headers.first(name: name))
      }
      let policy = try #require(reply.headers.first(name: "content-security-policy"))
      #expect(policy.contains("default-src 'none'; script-src 'sha256-"))
      #expect(policy.contains("connect-src 'self'; base-uri 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(reply.headers.first(name: "permissions-policy") == "geolocation=(self)")
      let text = String(decoding: reply.body, as: UTF8.self)
      for word in ["innerHTML", "src=", "href=", "style=", "onclick=\"", server.key, "http:"] {
        #expect(!text.contains(word), "\(word)")
      }
      #expect(try await get("/w", server).body == reply.body)
    }
  }

  @Test(.acrossNodes) func `open pages are told each message, and the end, on every server`()
    async throws
  {
    try await withLink { server, ana in
      let pages = [try await stream(server), try await stream(server), try await stream(server)]
      for page in pages {
        try await page.wait("headers") { $0.text.contains("text/event-stream") }
        #expect(page.text.lowercased().contains("x-accel-buffering: no"))
      }
      try await feed(ana, 1)
      for page in pages {
        try await page.wait("the first") { $0.text.contains(message(1).sealed) }
      }
      try await feed(ana, 2)
      for page in pages {
        try await page.wait("the second") { $0.text.contains(message(2).sealed) }
      }
      try await eventually("three watchers") {
        try await ana.result(of: FetchWatchLinks()).map(\.watchers) == [3]
      }
      pages[0].close()
      try await eventually("two watchers") {
        try await ana.result(of: FetchWatchLinks()).map(\.watchers) == [2]
      }
      _ = try await ana.result(of: EndWatchLinks())
      for page in pages.dropFirst() {
        try await page.wait("the end") { $0.text.contains("event: end") }
      }
      try await eventually("not found") {
        try await get("/w/\(Self.link)", server).status == 404
      }
      #expect(try await get("/w/\(Self.link)/stream", server).status == 404)
    }
  }

  @Test func `a page that has nothing new gets a comment, so that nobody takes it for dead`()
    async throws
  {
    #expect(WatchPages.pause == .seconds(25))
    let pages = WatchPages(
      budgets: BudgetKeeper(.withoutRates), pause: .milliseconds(10), wake: {})
    let page = try #require(pages.open(Self.link))
    pages.take(WatchState(place: message(1)), of: Self.link)
    var told: WatchState?
    var events = [String(buffer: WatchRoutes.event(&told, page.current))]
    for await _ in page.signals where events.count < 4 {
      events.append(String(buffer: WatchRoutes.event(&told, page.current)))
      if events.count == 4 { page.close() }
    }
    #expect(events.first?.contains(message(1).sealed) == true)
    #expect(events.dropFirst() == [":\n\n", ":\n\n", ":\n\n"])
  }

  @Test(.acrossNodes) func `a page without a stream reads the same`() async throws {
    try await withLink { server, ana in
      #expect(try await get("/w/\(Self.link)", server).decoded(WatchState.self) == WatchState())
      try await feed(ana, 1)
      #expect(
        try await get("/w/\(Self.link)", server).decoded(WatchState.self)
          == WatchState(place: message(1)))
      for path in ["/w/0000000000000000", "/w/short", "/w/0000000000000000/stream"] {
        #expect(try await get(path, server).status == 404, "\(path)")
      }
    }
  }

  @Test func `there is room for so many pages, and for the next once one is closed`()
    async throws
  {
    var budgets = Budgets.withoutRates
    budgets[.watchPagesPerLink] = 2
    try await withLink(budgets: budgets) { server, ana in
      let pages = [try await stream(server), try await stream(server)]
      for page in pages { try await page.wait("headers") { $0.text.contains("200 OK") } }
      let refused = try await get("/w/\(Self.link)/stream", server)
      #expect(refused.status == 503)
      #expect(refused.headers.first(name: "retry-after") == "15")
      // What a page can do instead is not refused.
      #expect(try await get("/w/\(Self.link)", server).status == 200)
      pages[0].close()
      try await eventually("room") {
        let page = try await stream(server)
        try await page.wait("an answer") { !$0.statuses.isEmpty }
        if page.statuses.first == "200 OK" { return true }
        page.close()
        return false
      }
    }
  }

  @Test(.acrossNodes) func `a phone posts with its secret, and ends the link`() async throws {
    let link = try #require(WatchLinkID("1123456789ABCDEF"))
    let secret = try #require(AccessSecret(String(repeating: "s", count: AccessSecret.length)))
    try await withLink { server, ana in
      _ = try await ana.result(
        of: MakeWatchLink(
          linkID: link, mode: .precise, until: WireTime.now.advanced(by: .seconds(3600)),
          secret: secret))
      func send(
        _ method: HTTPMethod, to link: WatchLinkID = link, bearer: String? = secret.value,
        _ body: Data? = nil
      ) async throws -> RawClient.Reply {
        try await RawClient(server).send(
          method, "/w/\(link)", data: body,
          headers: ["apikey": "", "authorization": bearer.map { "Bearer \($0)" } ?? ""])
      }
      let post = try WireJSON.encode(WatchPost(place: message(1)))
      let other = String(repeating: "x", count: AccessSecret.length)
      for bearer in [nil, other, "short"] {
        #expect(try await send(.POST, bearer: bearer, post).status == 404)
        #expect(try await send(.DELETE, bearer: bearer).status == 404)
      }
      // A terminal's link has no secret at all.
      #expect(try await send(.POST, to: Self.link, post).status == 404)
      #expect(try await send(.POST, Data("{}".utf8)).status == 400)
      let answer = try await send(.POST, post)
      #expect(answer.status == 200)
      #expect(try answer.decoded(WatchFeedback.self) == WatchFeedback(watchers: 0))
      #expect(
        try await get("/w/\(link)", server).decoded(WatchState.self)
          == WatchState(place: message(1)))
      #expect(try await send(.DELETE).status == 204)
      #expect(try await get("/w/\(link)", server).status == 404)
      #expect(try await send(.POST, post).status == 404)
    }
  }

  @Test func `fifty pages have a change within a second`() async throws {
    try await withLink { server, ana in
      var pages: [RawConnection] = []
      for _ in 0..<50 { pages.append(try await stream(server)) }
      for page in pages { try await page.wait("headers") { $0.text.contains("200 OK") } }
      var times: [Duration] = []
      // A machine that is busy with other tests may miss it once or twice.
      for counter in Int64(1)...3 where !times.contains(where: { $0 < .seconds(1) }) {
        let begin = ContinuousClock.now
        try await feed(ana, counter)
        let sealed = message(counter).sealed
        for page in pages { try await page.wait("a message") { $0.text.contains(sealed) } }
        times.append(begin.duration(to: .now))
      }
      #expect(times.contains { $0 < .seconds(1) }, "\(times)")
      try await eventually("fifty watchers") {
        try await ana.result(of: FetchWatchLinks()).map(\.watchers) == [50]
      }
    }
  }

  @Test func `guesses at links are counted by address`() async throws {
    var budgets = Budgets.withoutRates
    budgets[.watchReadsPerAddress] = 3
    try await withLink(budgets: budgets) { server, _ in
      var statuses: [Int] = []
      for path in Array(repeating: "/w/0000000000000000", count: 4) + ["/w"] {
        statuses.append(try await get(path, server).status)
      }
      #expect(statuses == [404, 404, 404, 429, 200])
    }
  }

  @Test func `a stream outlives the time for an answer, as long as it is read`() async throws {
    let limit = Duration.seconds(2)
    try await TestServer.with(configure: {
      $0.publicURL = "https://rally.example.test"
      $0.httpLimits.answerTime = limit
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await ana.result(
        of: MakeWatchLink(
          linkID: Self.link, mode: .precise, until: WireTime.now.advanced(by: .seconds(3600))))
      var counter: Int64 = 0
      // On a machine that is busy with other tests the page may be told nothing for that long.
      for _ in 0..<5 {
        let page = try await stream(server)
        try await page.wait("headers") { $0.text.contains("200 OK") }
        let longest = try await keep(page, busyFor: limit * 2, ana, after: &counter)
        guard longest < limit / 2 else { continue }
        return #expect(!page.isClosed)
      }
    }
  }
}
