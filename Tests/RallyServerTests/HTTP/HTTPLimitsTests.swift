import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What a hostile client can send over a raw socket to the real server.
@Suite struct HTTPLimitsTests {
  /// Short times, so that what is to run out does.
  private func health(_ server: TestServer, _ headers: String = "") -> String {
    "GET /auth/v1/health HTTP/1.1\r\nHost: x\r\napikey: \(server.key)\r\n\(headers)\r\n"
  }

  private func post(_ server: TestServer, _ headers: String, _ body: String = "") -> String {
    "POST /rest/v1/rpc/fetch_friends HTTP/1.1\r\nHost: x\r\napikey: \(server.key)\r\n"
      + "\(headers)\r\n\(body)"
  }

  /// What the server says to bytes before it closes the connection.
  private func answer(
    _ server: TestServer, to bytes: String
  ) async throws -> [String] {
    let connection = try await RawConnection(server)
    await connection.send(bytes)
    _ = try await connection.untilClosed()
    return connection.statuses
  }

  /// The server still answers others.
  private func expectAlive(_ server: TestServer) async throws {
    #expect(try await RawClient(server).send(.GET, "/auth/v1/health").status == 200)
  }

  // MARK: - Sizes

  @Test func `a head that is too large in any way is refused with its status`() async throws {
    try await TestServer.with { server in
      let long = String(repeating: "a", count: 9000)
      #expect(
        try await answer(server, to: "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n")
          == ["414 URI Too Long"])
      #expect(
        try await answer(
          server,
          to: health(server, (0..<5).map { "x-\($0): \(long)\r\n" }.joined()))
          == ["431 Request Header Fields Too Large"])
      #expect(
        try await answer(server, to: health(server, (0..<120).map { "x-\($0): 1\r\n" }.joined()))
          == ["431 Request Header Fields Too Large"])
      // One that never ends is not collected.
      let endless = try await RawConnection(server)
      await endless.send("GET / HTTP/1.1\r\n")
      for number in 0..<20 { await endless.send("x-\(number): \(long.prefix(4000))\r\n") }
      _ = try await endless.untilClosed()
      #expect(endless.statuses == ["431 Request Header Fields Too Large"])
      try await expectAlive(server)
    }
  }

  @Test func `a body that is too large is refused before it has come`() async throws {
    try await TestServer.with { server in
      #expect(
        try await answer(server, to: post(server, "Content-Length: 99999999\r\n"))
          == ["413 Payload Too Large"])
      let chunk = String(repeating: "a", count: 1 << 16)
      let connection = try await RawConnection(server)
      await connection.send(post(server, "Transfer-Encoding: chunked\r\n"))
      for _ in 0..<40 { await connection.send("10000\r\n\(chunk)\r\n") }
      _ = try await connection.untilClosed()
      #expect(connection.statuses.count <= 1)
      #expect(connection.statuses.first?.hasPrefix("413") != false)
      try await expectAlive(server)
    }
  }

  @Test func `a compressed body is not unpacked`() async throws {
    try await TestServer.with { server in
      for encoding in ["gzip", "deflate", "br", "gzip, identity"] {
        let statuses = try await answer(
          server,
          to: post(server, "Content-Encoding: \(encoding)\r\nContent-Length: 2\r\n", "{}"))
        #expect(statuses == ["415 Unsupported Media Type"])
      }
    }
  }

  @Test func `what is no HTTP, or two things at once, is a bad request`() async throws {
    try await TestServer.with { server in
      for bytes in [
        "\u{16}\u{3}\u{1}hello", "NONSENSE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        post(server, "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
        post(server, "Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
        health(server, "bad header\r\n"), health(server, "x: a\u{0}b\r\n"),
      ] {
        #expect(try await answer(server, to: bytes) == ["400 Bad Request"], "\(bytes)")
      }
      try await expectAlive(server)
    }
  }

  // MARK: - Rules of HTTP

  @Test func `a request names its host, once`() async throws {
    try await TestServer.with { server in
      for head in [
        "GET /health HTTP/1.1\r\n\r\n", "GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      ] {
        let answers = try await answer(server, to: head)
        #expect(answers == ["400 Bad Request"])
      }
    }
  }

  @Test func `a connection of HTTP 1.0 ends with its answer, and so does one that says so`()
    async throws
  {
    try await TestServer.with { server in
      for head in [
        "GET /health HTTP/1.0\r\n", "GET /health HTTP/1.0\r\nConnection: keep-alive\r\n",
        "GET /health HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n",
        "GET /health HTTP/1.1\r\nHost: x\r\nConnection: te, close\r\n",
      ] {
        let connection = try await RawConnection(server)
        await connection.send(head + "\r\n")
        let text = try await connection.untilClosed()
        #expect(text.contains(" 200 OK\r\n"), "\(head)")
        #expect(text.lowercased().contains("connection: close\r\n"), "\(head)")
        #expect(!text.lowercased().contains("chunked"), "\(head)")
        #expect(text.hasPrefix(head.contains("/1.0") ? "HTTP/1.0" : "HTTP/1.1"))
      }
    }
  }

  @Test func `whoever waits for a word sends a body after it`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      await connection.send(post(server, "Expect: 100-Continue\r\nContent-Length: 2\r\n"))
      try await connection.wait("the word") { $0.statuses == ["100 Continue"] }
      await connection.send("{}")
      try await connection.wait("an answer") { $0.statuses.count == 2 }
      #expect(connection.statuses.last == "401 Unauthorized")
      // It goes on.
      await connection.send(health(server))
      try await connection.wait("an answer") { $0.statuses.count == 3 }
      let refused = try await answer(server, to: post(server, "Expect: 200-maybe\r\n"))
      #expect(refused == ["417 Expectation Failed"])
    }
  }

  // MARK: - Time

  @Test func `a connection that says nothing, or half a head, is closed`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.headTime = .seconds(1) }) { server in
      let silent = try await answer(server, to: "")
      #expect(silent == [])
      #expect(
        try await answer(server, to: "GET / HTTP/1.1\r\nHost: x") == ["408 Request Timeout"])
    }
  }

  @Test func `bytes that trickle in do not buy time`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.headTime = .seconds(1) }) { server in
      let connection = try await RawConnection(server)
      await connection.send("GET / HTTP/1.1\r\n")
      // What is sent into a closed connection may take the answer away with it.
      try await connection.wait("408") { connection in
        connection.isClosed || connection.statuses == ["408 Request Timeout"]
      } meanwhile: {
        await connection.send("x: y\r\n")
      }
    }
  }

  @Test func `half a body is not waited for`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.bodyTime = .seconds(1) }) { server in
      let statuses = try await answer(server, to: post(server, "Content-Length: 100\r\n", "{"))
      #expect(statuses == ["408 Request Timeout"])
    }
  }

  @Test func `a body that trickles in does not buy time`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.bodyTime = .seconds(1) }) { server in
      let connection = try await RawConnection(server)
      await connection.send(post(server, "Content-Length: 100000\r\n", "{"))
      try await connection.wait("408") { connection in
        connection.isClosed || connection.statuses == ["408 Request Timeout"]
      } meanwhile: {
        await connection.send(" ")
      }
    }
  }

  @Test func `a connection without another request is closed without a word`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.idleTime = .seconds(3) }) { server in
      let statuses = try await answer(server, to: health(server))
      #expect(statuses == ["200 OK"])
      // Half a second request has its own time.
      #expect(
        try await answer(server, to: health(server) + "GET /auth")
          .first == "200 OK")
    }
  }

  @Test func `a client that does not take its answer is let go`() async throws {
    try await TestServer.with(configure: { $0.httpLimits.answerTime = .milliseconds(500) }) {
      server in
      let connection = try await RawConnection(server, receiveBuffer: 4096)
      await connection.stopReading()
      // How much fits between the two is for the kernels to say: requests go on until the server
      // cannot write and ends it.
      let requests = String(repeating: health(server), count: 3000)
      while !connection.isClosed { await connection.send(requests) }
      try await expectAlive(server)
    }
  }

  // MARK: - Many

  @Test func `requests that come at once are answered in order`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      let settings = health(server).replacing("health", with: "settings")
      await connection.send(health(server) + settings + health(server))
      try await connection.wait("three answers") { $0.statuses.count == 3 }
      let parts = connection.text.split(separator: "HTTP/1.1 ")
      #expect(parts.map { $0.contains("GoTrue") } == [true, false, true])
    }
  }

  @Test func `no answer to a HEAD request spoils the next one with a body`() async throws {
    try await TestServer.with { server in
      func ask(_ method: String, _ path: String, _ headers: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n"
      }
      let ana = try await Person.signUp("ana", on: server)
      let key = "apikey: \(server.key)\r\n"
      let bearer = key + "Authorization: Bearer \(ana.session.accessToken)\r\n"
      let asked = [
        ask("HEAD", "/rest/v1/profiles?select=nothing", bearer),
        ask("HEAD", "/rest/v1/profiles", key), ask("HEAD", "/rest/v1/profiles"),
        ask("HEAD", "/rest/v1/rpc/no_such", bearer), ask("HEAD", "/auth/v1/user", key),
        ask("HEAD", "/nowhere"), ask("HEAD", "/health"), ask("GET", "/health"),
      ]
      let ready = #"{"status":"ready"}"#
      let connection = try await RawConnection(server)
      await connection.send(asked.joined())
      try await connection.wait("the last answer") { $0.text.hasSuffix(ready) }
      #expect(
        connection.statuses.map { $0.prefix(3) } == [
          "400", "401", "401", "404", "401", "404", "200", "200",
        ])
      let parts = connection.text.split(separator: "\r\n\r\n")
      #expect(parts.count == asked.count + 1)
      #expect(parts.dropLast().allSatisfy { $0.hasPrefix("HTTP/1.1 ") })
      #expect(parts.last == ready[...])
    }
  }

  @Test func `a bad request behind a good one does not spoil its answer`() async throws {
    try await TestServer.with { server in
      let connection = try await RawConnection(server)
      await connection.send(health(server) + "NONSENSE\r\n\r\n")
      let text = try await connection.untilClosed()
      #expect(connection.statuses.count <= 2)
      #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 "))
    }
  }

  @Test func `one address has a bounded number of connections, and gets them back`() async throws {
    try await TestServer.with(configure: {
      $0.budgets[.connectionsPerAddress] = 3
    }) { server in
      var open: [RawConnection] = []
      for _ in 0..<3 {
        let connection = try await RawConnection(server)
        await connection.send(health(server))
        try await connection.wait("answer") { $0.statuses == ["200 OK"] }
        open.append(connection)
      }
      #expect(try await answer(server, to: health(server)) == [])
      open.removeLast().close()
      var patience = PollingBackoff()
      while true {
        let again = try await RawConnection(server)
        await again.send(health(server))
        try? await again.wait("answer or close") { !$0.statuses.isEmpty || $0.isClosed }
        if again.statuses == ["200 OK"] { break }
        guard await patience.pause() else { throw CancellationError() }
      }
    }
  }

  private func who(_ server: TestServer, _ token: String, door: String? = nil) -> String {
    "GET /auth/v1/user HTTP/1.1\r\nHost: x\r\napikey: \(server.key)\r\n"
      + "Authorization: Bearer \(token)\r\n"
      + (door.map { "\(SSHDoorPath.header): \($0)\r\n" } ?? "") + "\r\n"
  }

  @Test func `one person has a bounded number of connections, and leaves the address to others`()
    async throws
  {
    try await TestServer.with(configure: {
      $0.budgets[.connectionsPerPerson] = 2
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      func open(_ person: Person) async throws -> RawConnection {
        let connection = try await RawConnection(server)
        await connection.send(who(server, person.session.accessToken))
        try await connection.wait("answer") { !$0.statuses.isEmpty }
        return connection
      }
      let first = try await open(ana)
      let second = try await open(ana)
      #expect(first.statuses == ["200 OK"] && second.statuses == ["200 OK"])
      let third = try await open(ana)
      #expect(third.statuses.first?.hasPrefix("429") == true)
      _ = try await third.untilClosed()
      #expect(try await open(ben).statuses == ["200 OK"])
      // One connection is one, however many requests it has.
      await first.send(who(server, ana.session.accessToken))
      try await first.wait("second answer") { $0.statuses.count == 2 }
      second.close()
      try await eventually("a free place") { try await open(ana).statuses == ["200 OK"] }
    }
  }

  @Test func `the guests of a door count for it, and not for its host's address`() async throws {
    let folder = ServedFolder()
    try await folder.serve(configure: {
      $0.budgets[.connectionsPerAddress] = 3
      $0.budgets[.socketsPerAddress] = 1
      $0.budgets[.connectionsPerDoor] = 5
    }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let door = try SSHDoorCredentials(folder: folder.path).token
      var guests: [RawConnection] = []
      for _ in 0..<5 {
        let guest = try await RawConnection(server)
        await guest.send(who(server, ana.session.accessToken, door: door))
        try await guest.wait("answer") { $0.statuses == ["200 OK"] }
        guests.append(guest)
      }
      // Somebody who has no door's token is not one.
      let other = try await RawConnection(server)
      await other.send(who(server, ana.session.accessToken, door: ana.session.accessToken))
      try await other.wait("answer") { $0.statuses == ["200 OK"] }
      #expect(server.server.budgets.refusals.first { $0.budget == .connectionsPerDoor }?.count == 0)
    }
  }

  @Test func `all together have a bounded number of connections`() async throws {
    try await TestServer.with(configure: {
      $0.budgets[.connections] = 1
    }) { server in
      let first = try await RawConnection(server)
      await first.send(health(server))
      try await first.wait("answer") { $0.statuses == ["200 OK"] }
      #expect(try await answer(server, to: health(server)) == [])
    }
  }

  @Test func `a handshake that stops half-way is not waited for`() async throws {
    let authority = try await TestAuthority()
    let files = try await authority.certificate()
    try await TestServer.with(configure: {
      $0.httpLimits.headTime = .seconds(1)
      $0.certificate = files
    }) { server in
      let connection = try await RawConnection(server)
      // The beginning of a TLS record whose rest never comes.
      await connection.send("\u{16}\u{3}\u{1}")
      _ = try await connection.untilClosed()
    }
  }
}
