import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyStorage

/// The server as a whole: its folder, its listeners, its beginning and its end.
@Suite struct RallyServerTests {
  /// A private folder that goes away with the test. Short, since socket paths are.
  private final class Folder {
    let path = "/tmp/rally-test-\(UUID().uuidString.prefix(8))"
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  private func configuration(
    _ folder: Folder, _ listeners: [ServerConfiguration.Listener]? = nil
  ) -> ServerConfiguration {
    ServerConfiguration(
      listeners: listeners ?? [.unixSocket(path: folder.path + "/run/rally.sock")],
      database: .folder(folder.path + "/data"), passwordCost: .cheap)
  }

  private static var quiet: Logger {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }

  /// Runs a server until `body` returns.
  private func running(
    _ configuration: ServerConfiguration,
    _ body: (RallyServer, [BoundAddress]) async throws -> Void
  ) async throws {
    let server = try await RallyServer(configuration: configuration, logger: Self.quiet)
    let (opened, didOpen) = AsyncStream.makeStream(of: [BoundAddress].self)
    let run = Task { try await server.run { didOpen.yield($0) } }
    for await addresses in opened {
      try await body(server, addresses)
      break
    }
    await server.shutdown()
    try await run.value
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  /// Bytes in the write-ahead log.
  private func logSize(_ folder: Folder) -> Int {
    FileManager.default.contents(atPath: folder.path + "/data/rally.db-wal")?.count ?? 0
  }

  private func get(_ path: String, socket: String) async throws -> HTTPClientResponse {
    let host = socket.replacing("/", with: "%2F")
    var request = HTTPClientRequest(url: "http+unix://\(host)\(path)")
    // The library sends none over a Unix socket.
    request.headers.add(name: "Host", value: "localhost")
    return try await HTTPClient.shared.execute(request, timeout: .seconds(5))
  }

  // MARK: - Listeners

  @Test func `the private socket greets with the key, TCP does not`() async throws {
    let folder = Folder()
    let socket = folder.path + "/run/rally.sock"
    let both = configuration(
      folder, [.unixSocket(path: socket), .tcp(host: "127.0.0.1", port: 0)])
    try await running(both) { server, addresses in
      let reply = try await get(ServerGreeting.path, socket: socket)
      let greeting = try WireJSON.decode(
        ServerGreeting.self,
        from: Data(try await reply.body.collect(upTo: 4096).readableBytesView))
      #expect(greeting.key == server.apiKey)
      #expect(greeting.pid == getpid())
      let url = try #require(addresses.lazy.compactMap(\.url).first)
      let tcp = try await RawClient(url: url, key: server.apiKey).send(
        .GET, ServerGreeting.path)
      #expect(tcp.status == 404)
    }
    #expect(!FileManager.default.fileExists(atPath: socket))
  }

  @Test func `everything on disk is the owner's alone`() async throws {
    let folder = Folder()
    try await running(configuration(folder)) { _, _ in
      let modes = try [
        "/data", "/run", "/data/server.json", "/data/server.lock", "/run/rally.sock",
      ].map { try mode(folder.path + $0) }
      #expect(modes == [0o700, 0o700, 0o600, 0o600, 0o600])
    }
  }

  @Test func `a socket in a folder that others can enter is refused`() async throws {
    let folder = Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/run", withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755])
    let server = try await RallyServer(
      configuration: configuration(folder), logger: Self.quiet)
    await #expect(throws: (any Error).self) { try await server.run { _ in } }
  }

  @Test func `a stale socket is replaced`() async throws {
    let folder = Folder()
    let path = folder.path + "/run/rally.sock"
    // What a killed server leaves behind: a socket that nobody listens on.
    try await running(configuration(folder)) { _, _ in
      #expect(link(path, path + ".kept") == 0)
    }
    #expect(rename(path + ".kept", path) == 0)
    try await running(configuration(folder)) { _, _ in
      let reply = try await get(ServerGreeting.path, socket: path)
      #expect(reply.status == .ok)
    }
  }

  @Test func `a port that is taken ends the start with an error`() async throws {
    try await TestServer.with { other in
      let port = try #require(URLComponents(string: other.url)?.port)
      let folder = Folder()
      let server = try await RallyServer(
        configuration: configuration(folder, [.tcp(host: "127.0.0.1", port: port)]),
        logger: Self.quiet)
      await #expect(throws: (any Error).self) { try await server.run { _ in } }
    }
  }

  // MARK: - The folder

  @Test func `one folder has one server`() async throws {
    let folder = Folder()
    try await running(configuration(folder)) { _, _ in
      do {
        _ = try await RallyServer(configuration: configuration(folder), logger: Self.quiet)
        Issue.record("a second server opened the folder")
      } catch let failure as DataFolderLock.Failure {
        guard case .held(let owner) = failure else {
          Issue.record("\(failure)")
          return
        }
        #expect(owner.contains("process \(getpid())"))
        #expect(owner.contains("/run/rally.sock"))
      }
    }
    try await running(configuration(folder)) { _, _ in }
  }

  @Test func `keys and accounts outlive the server`() async throws {
    let folder = Folder()
    let tcp: [ServerConfiguration.Listener] = [.tcp(host: "127.0.0.1", port: 0)]
    var key = ""
    var session: AuthSession?
    try await running(configuration(folder, tcp)) { server, addresses in
      key = server.apiKey
      session = try await RawClient(url: addresses.first?.url ?? "", key: key).send(
        .POST, "/auth/v1/signup",
        ["email": "ana@example.org", "password": .string(Person.password)]
      ).decoded(AuthSession.self)
    }
    try await running(configuration(folder, tcp)) { server, addresses in
      #expect(server.apiKey == key)
      var client = RawClient(url: addresses.first?.url ?? "", key: key)
      client.token = session?.accessToken
      let user = try await client.send(.GET, "/auth/v1/user")
      #expect(user.status == 200)
    }
  }

  @Test func `what was acknowledged survives a kill`() async throws {
    let (folder, afterKill) = (Folder(), Folder())
    let tcp: [ServerConfiguration.Listener] = [.tcp(host: "127.0.0.1", port: 0)]
    var session: AuthSession?
    try await running(configuration(folder, tcp)) { server, addresses in
      session = try await RawClient(url: addresses.first?.url ?? "", key: server.apiKey).send(
        .POST, "/auth/v1/signup",
        ["email": "ana@example.org", "password": .string(Person.password)]
      ).decoded(AuthSession.self)
      // The files as a killed process would leave them: nothing closed, nothing checkpointed.
      try FileManager.default.createDirectory(
        atPath: afterKill.path, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: folder.path + "/data", toPath: afterKill.path + "/data")
    }
    try await running(configuration(afterKill, tcp)) { server, addresses in
      var client = RawClient(url: addresses.first?.url ?? "", key: server.apiKey)
      client.token = session?.accessToken
      let user = try await client.send(.GET, "/auth/v1/user")
      #expect(user.status == 200)
    }
  }

  @Test func `a clean end leaves no log to replay`() async throws {
    let folder = Folder()
    try await running(configuration(folder)) { _, _ in }
    #expect(logSize(folder) == 0)
  }

  @Test func `damaged keys are named and not replaced`() async throws {
    let folder = Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data", withIntermediateDirectories: true)
    try Data("{}".utf8).write(to: URL(filePath: folder.path + "/data/server.json"))
    await #expect(throws: (any Error).self) {
      _ = try await RallyServer(configuration: configuration(folder), logger: Self.quiet)
    }
    #expect(
      FileManager.default.contents(atPath: folder.path + "/data/server.json")
        == Data("{}".utf8))
  }

  // MARK: - The end

  @Test func `without clients the embedded server ends by itself`() async throws {
    let folder = Folder()
    var embedded = configuration(folder)
    embedded.idleExit = .milliseconds(50)
    let server = try await RallyServer(configuration: embedded, logger: Self.quiet)
    try await server.run { _ in }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/run/rally.sock"))
  }

  @Test func `an open socket keeps the embedded server alive`() async throws {
    let server = try await TestServer.start { $0.idleExit = .seconds(2) }
    let probe = try await RealtimeProbe.connect(server)
    // Longer than the idle exit, which is what the test is about.
    try await Task.sleep(for: .milliseconds(2500))
    _ = try await probe.drain()
    try await probe.close()
    try await server.ended()
  }

  @Test func `whoever is connected when the server ends was last seen then`() async throws {
    let folder = Folder()
    func start() async throws -> TestServer {
      try await TestServer.start { $0.database = .folder(folder.path + "/data") }
    }
    let before = try await start()
    let ana = try await Person.signUp("ana", on: before)
    let ben = try await Person.signUp("ben", on: before)
    try await ana.befriend(ben)
    let probe = try await RealtimeProbe.connect(before)
    try await probe.join(
      RealtimeTopic.presence, token: ben.session.accessToken, presence: true)
    let ref = try await probe.push(
      .presence, RealtimeTopic.presence, ["event": "track", "payload": [:]])
    _ = try await probe.next(.reply, ref: ref)
    try await before.stop()

    let after = try await start()
    let friends = try await RawClient(after, token: ana.session.accessToken)
      .result(of: FetchFriends())
    #expect(friends.first?.presence == .offline)
    #expect(friends.first?.lastSeen != nil)
    try await after.stop()
  }

  @Test func `cancelling ends the server in order`() async throws {
    let folder = Folder()
    let server = try await RallyServer(
      configuration: configuration(folder), logger: Self.quiet)
    let (opened, didOpen) = AsyncStream.makeStream(of: Void.self)
    let run = Task { try await server.run { _ in didOpen.yield() } }
    for await _ in opened { break }
    run.cancel()
    try await run.value
    #expect(logSize(folder) == 0)
    _ = try DataFolderLock(folder: folder.path + "/data")
  }

  @Test func `too many sign-ups from one address have to wait`() async throws {
    try await TestServer.with(configure: { $0.budgets[.signUpsPerAddress] = 2 }) {
      server in
      let client = RawClient(server)
      var replies: [RawClient.Reply] = []
      for number in 0..<3 {
        replies.append(
          try await client.send(
            .POST, "/auth/v1/signup",
            ["email": .string("p\(number)@example.org"), "password": "correct horse"],
            headers: [AuthFailure.versionHeader: AuthFailure.version]))
      }
      #expect(replies.map(\.status) == [200, 200, 429])
      #expect(replies[2].json["code"] == "over_request_rate_limit")
      let delay = replies[2].headers.first(name: "Retry-After").flatMap(Int.init)
      #expect((1...150).contains(delay ?? 0))
    }
  }
}
