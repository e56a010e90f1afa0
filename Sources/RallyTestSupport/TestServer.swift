import Foundation
import Logging
import RallyServer
import RallyWire

/// A complete server on its own port with an empty database, for one test.
public final class TestServer: Sendable {
  public let server: RallyServer
  /// `http://127.0.0.1:port`.
  public let url: String
  /// The anonymous API key.
  public let key: String
  private let running: Task<Void, any Error>

  private init(server: RallyServer, url: String, running: Task<Void, any Error>) {
    self.server = server
    self.url = url
    key = server.apiKey
    self.running = running
  }

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
    if case .inMemory = configuration.database {
      configuration.database = try TestEngine.current.database()
    }
    var quiet = Logger(label: "rally.server")
    quiet.logLevel = .error
    let server = try await RallyServer(configuration: configuration, logger: logger ?? quiet)
    let (addresses, opened) = AsyncStream.makeStream(of: [BoundAddress].self)
    let running = Task {
      defer { opened.finish() }
      try await server.run { addresses in opened.yield(addresses) }
    }
    for await bound in addresses {
      return TestServer(
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
    await server.shutdown()
    try await running.value
  }

  /// Waits until the server ends by itself.
  ///
  /// - Throws: What the server's `run` throws.
  public func ended() async throws { try await running.value }

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
