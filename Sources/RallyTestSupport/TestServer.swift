import Foundation
import Logging
import RallyGate
import RallyRules
import RallyServer
import RallyStorage
import RallyWire
import Synchronization

/// A complete server on its own port with an empty database, for one test; or several of them that
/// stand for one (`TestEngine.nodes`).
public final class TestServer: Sendable {
  private struct Node: Sendable {
    let server: RallyServer
    let url: String
    let running: Task<Void, any Error>
  }

  private let nodes: [Node]
  private let numbers: Mutex<SeededGenerator>
  /// The anonymous API key.
  public let key: String

  private init(nodes: [Node]) {
    self.nodes = nodes
    numbers = Mutex(SeededGenerator(seed: TestEngine.seed))
    key = nodes[0].server.apiKey
  }

  /// `http://127.0.0.1:port`; of several servers that of a random one, each time.
  public var url: String {
    numbers.withLock { nodes.randomElement(using: &$0) ?? nodes[0] }.url
  }

  /// The first of several servers.
  public var server: RallyServer { nodes[0].server }

  /// Starts a server; `configure` may change what the test is about. Moves between cells are announced
  /// at once.
  ///
  /// - Parameter logger: For tests of logging; by default only errors are logged, to the terminal.
  /// - Throws: What the server throws if it cannot start.
  public nonisolated(nonsending) static func start(
    logger: Logger? = nil, configure: (inout ServerConfiguration) -> Void = { _ in }
  ) async throws -> TestServer {
    var configuration = ServerConfiguration(
      listeners: [.tcp(host: "127.0.0.1", port: 0)], database: .inMemory, passwordCost: .cheap,
      budgets: .withoutRates)
    configuration.moveDelay = .none
    configure(&configuration)
    var count = 1
    if case .inMemory = configuration.database {
      configuration.database = try TestEngine.current.database()
      if TestEngine.current == .nodes {
        count = 2
        // A path where nothing is yet.
        configuration.encryptionKey = TestEngine.newFolder
      }
    }
    var quiet = Logger(label: "rally.server")
    quiet.logLevel = .error
    var nodes: [Node] = []
    for _ in 0..<count { nodes.append(try await node(configuration, logger: logger ?? quiet)) }
    return TestServer(nodes: nodes)
  }

  private nonisolated(nonsending) static func node(
    _ configuration: ServerConfiguration, logger: Logger
  ) async throws -> Node {
    let server = try await RallyServer(configuration: configuration, logger: logger)
    let (addresses, opened) = AsyncStream.makeStream(of: [BoundAddress].self)
    let running = Task {
      defer { opened.finish() }
      try await server.run { addresses in opened.yield(addresses) }
    }
    for await bound in addresses {
      return Node(
        server: server, url: bound.lazy.compactMap(\.url).first ?? "", running: running)
    }
    // The stream ended without an address, so `run` threw.
    try await running.value
    throw CancellationError()
  }

  /// Stops the server and waits until its sockets are closed.
  ///
  /// - Throws: What the server's `run` throws.
  public func stop() async throws {
    for node in nodes {
      await node.server.shutdown()
      try await node.running.value
    }
  }

  /// Waits until the server ends by itself.
  ///
  /// - Throws: What the server's `run` throws.
  public func ended() async throws { for node in nodes { try await node.running.value } }

  /// Runs `body` with a new server that is stopped afterwards.
  ///
  /// - Throws: What starting or stopping the server, or `body`, throws.
  public nonisolated(nonsending) static func with<T>(
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> T
  ) async throws -> T {
    let server = try await start(configure: configure)
    do {
      let value = try await body(server)
      try await server.stop()
      return value
    } catch {
      try? await server.stop()
      throw error
    }
  }
}

/// The database that a test runs on, and how many servers serve it.
public enum TestEngine: String, Sendable {
  case sqlite, postgres
  /// Two servers on one PostgreSQL database: each request and each socket of a test goes to a random
  /// one of them.
  case nodes

  /// The database that servers and storages of this test use.
  @TaskLocal public static var current = TestEngine.sqlite

  /// The folder of SQLite's files, in WAL mode, and of keys; nil keeps both in memory.
  @TaskLocal public static var folder: String?

  /// Chooses among `nodes`.
  @TaskLocal public static var seed: UInt64 = 0

  /// A folder for another SQLite database; nil if databases are in memory.
  public static var newFolder: String? { folder.map { "\($0)/\(UUID().uuidString)" } }

  /// An empty database for a server.
  ///
  /// - Throws: `PostgresFixture.Failure` if PostgreSQL cannot be started.
  public func database() throws -> ServerConfiguration.Database {
    switch self {
    case .sqlite: TestEngine.newFolder.map { .folder($0) } ?? .inMemory
    case .postgres, .nodes: .postgres(try PostgresFixture.shared.get().database(), folder: nil)
    }
  }
}
