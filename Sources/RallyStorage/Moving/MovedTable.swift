import GRDB

/// A table that moves with a server to another engine, as the migrations make it.
///
/// Derived from the schema, so that a table of a later migration moves too.
struct MovedTable: Hashable, Sendable {
  struct Reference: Hashable, Sendable {
    var parent: String
    /// The columns here, and those of the parent that they hold.
    var columns: [String]
    var parentColumns: [String]
  }

  let name: String
  let columns: [String]
  /// The columns of the primary key.
  package let key: [String]
  let references: [Reference]

  /// Tables that each database fills by itself: the feed, of which nothing is replayed to clients,
  /// and SQLite's index of names, which triggers write.
  static let derived: Set<String> = ["changes", "people_rows"]
  /// Tables of PostgreSQL alone: what is not logged, and the keys, which move by `MovedKeys`.
  static let ofCluster: Set<String> = [
    "nodes", "presence", "relays", "buckets", "known_addresses", "server_keys",
  ]

  /// Every table, after those that it refers to.
  static func all() throws -> [MovedTable] {
    let model = try DatabaseQueue()
    try SQLiteEngine.migrator.migrate(model)
    return try model.read { database in
      let names = try String.fetchAll(
        database,
        sql: """
          SELECT name FROM pragma_table_list
          WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            AND name <> 'grdb_migrations' ORDER BY name
          """)
      return sorted(
        try names.filter { !derived.contains($0) }.map { try MovedTable($0, in: database) })
    }
  }

  private init(_ name: String, in database: GRDB.Database) throws {
    self.name = name
    columns = try database.columns(in: name).map(\.name)
    key = try database.primaryKey(name).columns
    references = try database.foreignKeys(on: name).map { reference in
      Reference(
        parent: reference.destinationTable, columns: reference.originColumns,
        parentColumns: reference.destinationColumns)
    }
  }

  /// No table refers to itself, and no two to each other.
  private static func sorted(_ tables: [MovedTable]) -> [MovedTable] {
    var (left, done): ([MovedTable], [MovedTable]) = (tables, [])
    while let next = left.firstIndex(where: { table in
      table.references.allSatisfy { reference in !left.contains { $0.name == reference.parent } }
    }) {
      done.append(left.remove(at: next))
    }
    precondition(left.isEmpty, "tables refer to each other in a circle")
    return done
  }
}

// MARK: - Statements

extension MovedTable {
  /// Rows in the order of the key, which is the same on both engines: text by its bytes.
  ///
  /// - Parameters:
  ///   - after: The key before the first row; nil for the beginning.
  ///   - last: The key of the last row; nil for the end.
  func rows(
    after: [SQLValue]?, through last: [SQLValue]? = nil, limit: Int = .max, in database: Database
  ) throws -> [[SQLValue]] {
    let keyed = "(\(key.joined(separator: ", ")))"
    let marks = "(\(key.map { _ in "?" }.joined(separator: ", ")))"
    let bounds = [
      after.map { _ in "\(keyed) > \(marks)" }, last.map { _ in "\(keyed) <= \(marks)" },
    ]
    .compactMap(\.self)
    let place = bounds.isEmpty ? "" : "WHERE \(bounds.joined(separator: " AND "))"
    return try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns.joined(separator: ", ")) FROM \(name) \(place)
        ORDER BY \(key.joined(separator: ", ")) LIMIT ?
        """,
      arguments: StatementArguments(
        values: (after ?? []) + (last ?? []) + [.integer(Int64(limit))])
    ).map(\.values)
  }

  /// On PostgreSQL in one statement, so that a batch waits for the network once. That takes 65,535
  /// parameters.
  func insert(_ rows: [[SQLValue]], into database: Database) throws {
    let marks = "(\(columns.map { _ in "?" }.joined(separator: ", ")))"
    let parts = database.engine == .postgres ? [rows] : rows.map { [$0] }
    for part in parts {
      try database.execute(
        sql: """
          INSERT INTO \(name) (\(columns.joined(separator: ", ")))
          VALUES \(part.map { _ in marks }.joined(separator: ", "))
          """, arguments: StatementArguments(values: part.flatMap(\.self)))
    }
  }

  func delete(_ keys: [[SQLValue]], from database: Database) throws {
    for values in keys {
      try database.execute(
        sql: "DELETE FROM \(name) WHERE \(key.map { "\($0) = ?" }.joined(separator: " AND "))",
        arguments: StatementArguments(values: values))
    }
  }

  package func key(of row: [SQLValue]) -> [SQLValue] {
    key.compactMap { name in columns.firstIndex(of: name).map { row[$0] } }
  }

  func count(in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(name)") ?? 0
  }

  func isEmpty(in database: Database) throws -> Bool {
    try Int.fetchOne(database, sql: "SELECT 1 FROM \(name) LIMIT 1") == nil
  }
}
