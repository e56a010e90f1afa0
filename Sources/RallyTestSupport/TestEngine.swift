import Foundation
import RallyServer
import RallyStorage

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
