import Foundation
import RallyServer

/// The database that a test runs on.
public enum TestEngine: String, Sendable, CaseIterable {
  case sqlite, postgres

  /// What servers and storages of this test are made with.
  @TaskLocal public static var current = TestEngine.sqlite

  /// Where SQLite has its files, which it reads while it writes; nil keeps everything in memory.
  @TaskLocal public static var folder: String?

  /// A folder for one more database of SQLite; nil where it has no file.
  public static var newFolder: String? { folder.map { "\($0)/\(UUID().uuidString)" } }

  /// An empty database for a server.
  public func database() throws -> ServerConfiguration.Database {
    switch self {
    case .sqlite: TestEngine.newFolder.map { .folder($0) } ?? .inMemory
    case .postgres: .postgres(try PostgresFixture.shared.get().database(), folder: nil)
    }
  }
}
