import RallyStorage

extension Storage {
  /// An empty one on the engine of this test.
  ///
  /// - Parameters:
  ///   - connections: How many transactions may run at once where that is possible.
  ///   - monitor: Sees every statement.
  package static func forTest(
    connections: Int = 4, monitor: StatementMonitor? = nil
  ) async throws -> Storage {
    let engine: any StorageEngine =
      switch TestEngine.current {
      case .sqlite:
        try SQLiteEngine(path: TestEngine.newFolder.map { try DataFolder(path: $0).databasePath })
      case .postgres, .nodes:
        try await PostgresEngine(
          PostgresFixture.shared.get().database(), connections: connections)
      }
    return Storage(monitor.map { ObservedEngine(base: engine, monitor: $0) } ?? engine)
  }

  /// Waits until no transaction of anybody keeps committed entries back from readers of the feed.
  package func feedCatchesUp() async throws {
    while try await read(ChangeLog.isHeldUp) { await Task.yield() }
  }
}

extension Database {
  /// The names of all tables, in their order.
  package func tables() throws -> [String] {
    try String.fetchAll(
      self,
      sql: engine == .sqlite
        ? "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        : "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
  }
}
