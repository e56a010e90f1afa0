import Foundation
import RallyServer

/// The database that a test runs on.
public enum TestEngine: String, Sendable, CaseIterable {
  case sqlite, postgres

  /// The database that servers and storages of this test use.
  @TaskLocal public static var current = TestEngine.sqlite

  /// The folder of SQLite's files, in WAL mode; nil keeps databases in memory.
  @TaskLocal public static var folder: String?

  /// A folder for another SQLite database; nil if databases are in memory.
  public static var newFolder: String? { folder.map { "\($0)/\(UUID().uuidString)" } }

  /// An empty database for a server.
  ///
  /// - Throws: `PostgresFixture.Failure` if PostgreSQL cannot be started.
  public func database() throws -> ServerConfiguration.Database {
    switch self {
    case .sqlite: TestEngine.newFolder.map { .folder($0) } ?? .inMemory
    case .postgres: .postgres(try PostgresFixture.shared.get().database(), folder: nil)
    }
  }
}
