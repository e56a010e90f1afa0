import RallyServer
import RallyStorage
import RallyTestSupport

@testable import RallyRules

/// Several processes of `rally serve` on one PostgreSQL database. Besides they share nothing but
/// the file of the key that encrypts their keys.
struct ServerCluster: Sendable {
  let nodes: [ServerProcess]
  private let arguments: [String]
  private let folder: TemporaryFolder

  /// Starts them, one after the other.
  ///
  /// - Parameter budgets: Settings of `--budget`.
  init(of count: Int, budgets: [String] = []) async throws {
    folder = try TemporaryFolder()
    let address = try PostgresFixture.shared.get().database()
    arguments =
      ["--database", address.description, "--encryption-key", folder.file("key")]
      + budgets.flatMap { ["--budget", $0] }
    nodes = try (0..<count).map { _ in try ServerProcess() }
    for node in nodes { try await start(node) }
  }

  func start(_ node: ServerProcess) async throws { try await node.start(arguments) }

  func terminate() async throws { for node in nodes { try await node.terminate() } }
}
