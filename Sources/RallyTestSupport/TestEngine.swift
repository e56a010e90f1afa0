import RallyServer

/// The database that a test runs on.
public enum TestEngine: String, Sendable, CaseIterable {
  case sqlite, postgres

  /// What servers and storages of this test are made with.
  @TaskLocal public static var current = TestEngine.sqlite

  /// An empty database for a server.
  public func database() throws -> ServerConfiguration.Database {
    switch self {
    case .sqlite: .inMemory
    case .postgres: .postgres(try PostgresFixture.shared.get().database(), folder: nil)
    }
  }
}
