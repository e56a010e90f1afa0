import Foundation
import RallyTestSupport
import RallyWire

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Servers on one PostgreSQL database, each with a proxy between it and the database.
struct FaultyCluster: Sendable {
  let nodes: [TestServer]
  let proxies: [FaultProxy]
  private let address: PostgresAddress

  /// Runs `body` with servers that are stopped afterwards.
  static func with(
    _ count: Int, _ body: (FaultyCluster) async throws -> Void
  ) async throws {
    let postgres = try PostgresFixture.shared.get()
    let address = try postgres.database()
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var nodes: [TestServer] = []
    var proxies: [FaultProxy] = []
    for _ in 0..<count {
      let proxy = try await FaultProxy([.unixSocket(postgres.socket)])
      let own = try postgres.address(address, through: proxy)
      nodes.append(
        try await TestServer.start {
          $0.database = .postgres(own, folder: nil)
          $0.encryptionKey = folder.file("encryption.key")
        })
      proxies.append(proxy)
    }
    try await body(FaultyCluster(nodes: nodes, proxies: proxies, address: address))
    for (node, proxy) in zip(nodes, proxies) {
      proxy.heal()
      try await node.stop()
    }
  }

  /// How many servers hold a lease, read beside the proxies.
  var leases: Int {
    get async throws {
      let storage = Storage(try await PostgresEngine(address, connections: 1, migrates: false))
      defer { try? storage.close() }
      return try await storage.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM nodes") ?? 0
      }
    }
  }

  /// The same person at another server.
  func client(of person: Person, at node: Int) -> RawClient {
    RawClient(nodes[node], token: person.session.accessToken)
  }
}
