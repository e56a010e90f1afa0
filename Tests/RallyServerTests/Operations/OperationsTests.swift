import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

/// What an operator asks a server for.
@Suite struct OperationsTests {
  private func withMetrics<T>(
    logger: Logger? = nil, _ body: (TestServer, RawClient) async throws -> T
  ) async throws -> T {
    let server = try await TestServer.start(logger: logger) {
      $0.metrics = .tcp(host: "127.0.0.1", port: 0)
    }
    do {
      let url = try #require(server.server.operatorAddress?.url)
      let value = try await body(server, RawClient(url: url, key: ""))
      try await server.stop()
      return value
    } catch {
      try? await server.stop()
      throw error
    }
  }

  // MARK: - Health

  @Test func `health is told to everybody, without a key`() async throws {
    try await TestServer.with { server in
      let stranger = RawClient(url: server.url, key: "")
      let health = try await stranger.send(.GET, "/health")
      #expect(health.status == 200)
      #expect(health.json == ["status": "ready"])
      #expect(try await stranger.send(.GET, "/health/alive").json == ["status": "alive"])
      for path in ["/health", "/health/alive"] {
        let head = try await stranger.send(.HEAD, path)
        #expect(head.status == 200)
        #expect(head.body.isEmpty)
      }
    }
  }

  @Test func `a server that ends says so, and finishes what was begun`() async throws {
    let readiness = Readiness()
    #expect(readiness.isReady)
    readiness.end()
    #expect(!readiness.isReady)
    let server = try await TestServer.start {
      $0.metrics = .tcp(host: "127.0.0.1", port: 0)
      $0.drainTime = .seconds(60)
    }
    let place = try #require(server.server.operatorAddress?.url)
    // A request whose body is still on its way when the end is asked for.
    let (parts, body) = AsyncStream.makeStream(of: ByteBuffer.self)
    let text = #"{"email":"ana@example.org","password":"correct horse","data":{}}"#
    let upload = Task {
      try await SlowRequest.post(
        server.url + "/auth/v1/signup", key: server.key, length: text.utf8.count, body: parts)
    }
    body.yield(ByteBuffer(string: String(text.prefix(10))))
    let observer = RawClient(url: place, key: "")
    func metrics() async throws -> String {
      String(decoding: try await observer.send(.GET, "/metrics").body, as: UTF8.self)
    }
    try await eventually("the upload") {
      try await metrics().contains("rally_connections 1\n")
    }
    let ending = Task { try await server.stop() }
    try await eventually("the news") {
      try await observer.send(.GET, "/health").json == ["status": "ending"]
    }
    body.yield(ByteBuffer(string: String(text.dropFirst(10))))
    body.finish()
    #expect(try await upload.value == 200)
    try await ending.value
  }

  // MARK: - Metrics

  @Test func `metrics are counted by route, and not told to people`() async throws {
    try await withMetrics { server, observer in
      let ana = try await Person.signUp("ana", on: server)
      _ = try await ana.result(of: FetchFriends())
      _ = try await ana.client.send(.POST, "/rest/v1/rpc/nonsense_\(UUID())", [:])
      _ = try await ana.client.send(.GET, "/nowhere/\(UUID())")
      #expect(try await ana.client.send(.GET, "/metrics").status == 404)
      let reply = try await observer.send(.GET, "/metrics")
      #expect(reply.status == 200)
      #expect(reply.headers.first(name: "content-type")?.hasPrefix("text/plain") == true)
      let text = String(decoding: reply.body, as: UTF8.self)
      for line in [
        #"rally_requests_total{route="/auth/v1/signup",status="200"} 1"#,
        #"rally_requests_total{route="/rest/v1/rpc/fetch_friends",status="200"} 1"#,
        #"rally_request_seconds_count{route="/rest/v1/rpc/fetch_friends"} 1"#,
        "rally_ready 1", "rally_sockets 0", "rally_writes_waiting 0", "rally_hashes_waiting 0",
      ] {
        #expect(text.contains(line + "\n"), "\(line)")
      }
      #expect(text.contains("process_resident_memory_bytes "))
      #expect(!text.contains("nonsense"))
      #expect(!text.contains("nowhere"))
    }
  }

  @Test func `frames, sockets and the feed are counted`() async throws {
    try await withMetrics { server, observer in
      let (ana, bob) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("bob", on: server)
      )
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ana.session.accessToken)
      _ = try await bob.result(of: RequestFriend(userID: ana.id))
      _ = try await probe.next(.postgresChanges)
      func value(_ name: String) async throws -> Double {
        let text = String(decoding: try await observer.send(.GET, "/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Double($0.dropFirst(name.count + 1)) } ?? -1
      }
      #expect(try await value("rally_sockets") == 1)
      #expect(try await value("rally_channels") == 1)
      #expect(try await value("rally_connections") >= 1)
      try await eventually("the frames") { try await value("rally_frames_sent_total") >= 3 }
      try await eventually("the feed") { try await value("rally_feed_entries_total") >= 1 }
      #expect(try await value("rally_commits_total") >= 3)
      try await probe.close()
      try await eventually("the end") { try await value("rally_sockets") == 0 }
    }
  }

  @Test func `a histogram counts what took at most as long`() {
    var histogram = Histogram()
    for seconds in [0.0005, 0.02, 0.02, 30] { histogram.add(seconds) }
    #expect(histogram.count == 4)
    #expect(histogram.counts.first == 1)
    #expect(histogram.counts.last == 3)
    var text = MetricsText()
    text.begin("m", .histogram, "Words.")
    text.samples("m", ("route", "a\"b\\c\nd"), histogram)
    #expect(text.text.hasPrefix("# HELP m Words.\n# TYPE m histogram\n"))
    #expect(text.text.contains(#"m_bucket{route="a\"b\\c\nd",le="0.001"} 1"# + "\n"))
    #expect(text.text.contains(#"le="+Inf"} 4"# + "\n"))
  }

  // MARK: - Listening

  @Test func `what keeps a server from listening is said in words`() {
    func words(_ error: any Error) -> String {
      String(describing: ListenFailure.explained(error, on: .tcp(host: "::1", port: 80)))
    }
    func system(_ code: Int32) -> String { words(IOError(errnoCode: code, reason: "bind")) }
    #expect(system(EADDRINUSE) == "Another program listens on [::1]:80.")
    #expect(system(EADDRNOTAVAIL) == "[::1]:80 is no address of this machine.")
    #expect(system(EACCES) == "The system does not allow to listen on [::1]:80.")
    #expect(
      system(EMFILE) == "Nobody can listen on [::1]:80: \(String(cString: strerror(EMFILE))).")
    #expect(words(CancellationError()) == "CancellationError()")
  }

  // MARK: - Sockets of a service manager

  @Test func `a socket that listens already is served`() async throws {
    let listener = try ListeningSocket()
    let server = try await TestServer.start {
      $0.listeners = [.inherited(descriptor: listener.descriptor)]
    }
    #expect(server.url == "http://127.0.0.1:\(listener.port)")
    let ana = try await Person.signUp("ana", on: server)
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: ana.session.accessToken)
    try await server.stop()
    try await probe.wait("the end") { $0.isClosed }
    #expect(await probe.closeCode == 1001)
  }

  @Test func `sockets are taken only from a manager that means this process`() throws {
    func sockets(_ environment: [String: String]) -> [Int32] {
      ServiceManager(environment: environment, pid: 42).sockets
    }
    #expect(sockets([:]).isEmpty)
    #expect(sockets(["LISTEN_FDS": "1"]).isEmpty)
    #expect(sockets(["LISTEN_FDS": "1", "LISTEN_PID": "41"]).isEmpty)
    for count in ["0", "-1", "x", "4000000"] {
      #expect(sockets(["LISTEN_FDS": count, "LISTEN_PID": "42"]).isEmpty)
    }
  }

  @Test func `a manager hears when the server is ready and when it stops`() throws {
    for name in ["\(NSTemporaryDirectory())rally-notify-\(UUID())", "@rally-notify-\(UUID())"] {
      let inbox = try DatagramInbox(name)
      let manager = ServiceManager(environment: ["NOTIFY_SOCKET": name])
      manager.isReady("Serving")
      #expect(inbox.next() == "READY=1\nSTATUS=Serving")
      manager.isStopping()
      #expect(inbox.next()?.hasPrefix("STOPPING=1\n") == true)
    }
    // Nobody there is no reason to fail.
    ServiceManager(environment: ["NOTIFY_SOCKET": "/nowhere/at/all"]).isReady("Serving")
  }
}
