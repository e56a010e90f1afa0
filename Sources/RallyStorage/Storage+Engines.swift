extension Storage {
  /// SQLite.
  ///
  /// - Parameter path: The database file; nil keeps everything in memory.
  package convenience init(path: String?) throws { self.init(try SQLiteEngine(path: path)) }

  /// A PostgreSQL database of the present version, for one operator's command.
  ///
  /// - Throws: `StorageFailure`.
  package convenience init(command address: PostgresAddress) async throws {
    self.init(try await PostgresEngine(address, connections: 1, migrates: false))
  }
}
