import Foundation
import RallyTestSupport

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Two servers on one PostgreSQL database.
struct ServerPair: Sendable {
  let one: TestServer
  let other: TestServer
  /// The database of both.
  let address: PostgresAddress
  /// The role of the other server alone; without it that server is cut off.
  let role: String
  /// The path of its file.
  let encryptionKey: String

  /// Runs `body` with two servers that are stopped afterwards. They share nothing but the database
  /// and the file of the key that encrypts their keys.
  static func with(
    configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (ServerPair) async throws -> Void
  ) async throws {
    let postgres = try PostgresFixture.shared.get()
    let address = try postgres.database()
    let role = "node_\(UUID().uuidString.prefix(8).lowercased())"
    try postgres.execute("CREATE ROLE \(role) SUPERUSER LOGIN")
    let folders = (1...2).map { _ in "/tmp/rally-test-\(UUID().uuidString.prefix(8))" }
    defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
    let key = try DataFolder(path: folders[0]).path + "/encryption.key"
    let one = try await TestServer.start {
      configure(&$0)
      $0.database = .postgres(address, folder: folders[0])
      $0.encryptionKey = key
    }
    let elsewhere = try PostgresAddress(
      address.text.replacingOccurrences(of: "rally@", with: "\(role)@"))
    let other = try await TestServer.start {
      configure(&$0)
      $0.database = .postgres(elsewhere, folder: folders[1])
      $0.encryptionKey = key
    }
    try await body(
      ServerPair(one: one, other: other, address: address, role: role, encryptionKey: key))
    try await one.stop()
    try await other.stop()
  }

  /// Cuts the other server off from the database.
  func cutOff() throws {
    let postgres = try PostgresFixture.shared.get()
    try postgres.execute("ALTER ROLE \(role) NOLOGIN")
    try postgres.execute(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = '\(role)'")
  }

  func rejoin() throws { try PostgresFixture.shared.get().execute("ALTER ROLE \(role) LOGIN") }

  /// Reads the database beside the servers.
  func read<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    let storage = Storage(try await PostgresEngine(address, connections: 1, migrates: false))
    defer { try? storage.close() }
    return try await storage.read(work)
  }
}
