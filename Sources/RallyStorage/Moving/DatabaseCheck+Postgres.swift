extension DatabaseCheck {
  /// A sentence for each problem in a PostgreSQL database: the schema, references, and the rules'
  /// invariants. Can run beside servers.
  ///
  /// - Throws: `StorageFailure`, also for a database of another version.
  public static func problems(in address: PostgresAddress) async throws -> [String] {
    let storage = Storage(
      try await PostgresEngine(
        address, connections: 1, migrates: false, silence: PostgresConnection.longSilence))
    defer { try? storage.close() }
    return try await storage.read { database in
      try database.execute(sql: "SET LOCAL statement_timeout = 0")
      return try problems(in: database)
    }
  }

  static func problems(in database: Database) throws -> [String] {
    let tables = try MovedTable.all()
    let missing = try tables.flatMap { try missingColumns(of: $0, in: database) }
    // The following checks need the right schema.
    guard missing.isEmpty else { return missing }
    return try invalid(in: database)
      + tables.flatMap { try orphans(of: $0, in: database) }
      + rules.compactMap { words, query in
        let count = try count(query, in: database)
        return count == 0 ? nil : "\(count) × \(words)"
      }
  }

  private static func missingColumns(
    of table: MovedTable, in database: Database
  ) throws -> [String] {
    let found = try String.fetchSet(
      database,
      sql: """
        SELECT CAST(column_name AS text) FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = ?
        """, arguments: [table.name])
    return table.columns.filter { !found.contains($0) }
      .map { "the column \($0) of the table \(table.name) is missing" }
  }

  /// Indexes and constraints that PostgreSQL does not rely on.
  private static func invalid(in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT 'the index ' || c.relname || ' is not valid' FROM pg_index i
        JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND NOT i.indisvalid
        UNION ALL
        SELECT 'the constraint ' || o.conname || ' is not validated' FROM pg_constraint o
        JOIN pg_namespace n ON n.oid = o.connamespace
        WHERE n.nspname = current_schema() AND NOT o.convalidated
        """)
  }

  /// Rows that refer to none, as a restore without triggers may leave them.
  private static func orphans(of table: MovedTable, in database: Database) throws -> [String] {
    try table.references.compactMap { reference in
      let pairs = zip(reference.columns, reference.parentColumns)
      let count = try count(
        """
        SELECT 1 FROM \(table.name) c
        WHERE \(reference.columns.map { "c.\($0) IS NOT NULL" }.joined(separator: " AND "))
          AND NOT EXISTS (
            SELECT 1 FROM \(reference.parent) p
            WHERE \(pairs.map { "p.\($1) = c.\($0)" }.joined(separator: " AND ")))
        """, in: database)
      return count == 0
        ? nil
        : "\(count) × row of \(table.name) that refers to a missing row of \(reference.parent)"
    }
  }

  private static func count(_ query: String, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(query)) AS found") ?? 0
  }
}
