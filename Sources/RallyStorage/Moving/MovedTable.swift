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
      arguments: StatementArguments(values: (after ?? []) + (last ?? []) + [.integer(Int64(limit))])
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

// MARK: - Rows

/// The rows of one table on both sides, read side by side in batches by primary key.
struct MovedRows {
  static let batch = 500

  let table: MovedTable
  /// The snapshot that is moved.
  let source: Database
  let target: any MoveSide

  /// What a range of keys has on both sides.
  struct Batch {
    /// The number of rows of the source.
    var count = 0
    /// Rows of the source whose key the target does not have.
    var missing: [[SQLValue]] = []
    /// The keys of the target that the source does not have, or has with other values.
    var wrong: [[SQLValue]] = []
  }

  /// Deletes what is not as in the source, and by it what refers to that.
  func discard(_ done: (Int) throws -> Void) throws {
    try forEach { batch in
      if !batch.wrong.isEmpty {
        try target.write { try table.delete(batch.wrong, from: $0) }
      }
      try done(batch.count)
    }
  }

  /// Inserts what the target does not have, each batch in one transaction.
  func copy(_ done: (Int) throws -> Void) throws {
    try forEach { batch in
      if !batch.missing.isEmpty {
        try target.write { try table.insert(batch.missing, into: $0) }
      }
      try done(batch.count)
    }
  }

  /// - Returns: The rows of the source, and how many are missing, other or too many in the target.
  func compare(_ done: (Int) throws -> Void) throws -> (rows: Int, differences: Int) {
    var (rows, differences) = (0, 0)
    try forEach { batch in
      rows += batch.count
      differences += batch.missing.count + batch.wrong.count
      try done(batch.count)
    }
    return (rows, differences)
  }

  private func forEach(_ body: (Batch) throws -> Void) throws {
    var after: [SQLValue]?
    while true {
      let rows = try table.rows(after: after, limit: MovedRows.batch, in: source)
      let isLast = rows.count < MovedRows.batch
      let last = isLast ? nil : rows.last.map(table.key)
      let found = try target.read { try table.rows(after: after, through: last, in: $0) }
      try body(batch(rows, found))
      if isLast { return }
      after = last
    }
  }

  private func batch(_ rows: [[SQLValue]], _ found: [[SQLValue]]) -> Batch {
    var batch = Batch(count: rows.count)
    let wanted = Dictionary(
      uniqueKeysWithValues: rows.map { (ExactValues(table.key(of: $0)), ExactValues($0)) })
    var keys: Set<ExactValues> = []
    for row in found {
      let key = ExactValues(table.key(of: row))
      keys.insert(key)
      if wanted[key] != ExactValues(row) { batch.wrong.append(key.values) }
    }
    batch.missing = rows.filter { !keys.contains(ExactValues(table.key(of: $0))) }
    return batch
  }
}

/// Values that are equal if they have the same bytes. Two `String`s are also equal if Unicode's
/// canonical equivalence says so, which is not enough for a copy.
struct ExactValues: Hashable {
  package let values: [SQLValue]

  init(_ values: [SQLValue]) { self.values = values }

  static func == (a: Self, b: Self) -> Bool {
    a.values.count == b.values.count
      && zip(a.values, b.values).allSatisfy { a, b in
        guard case .text(let a) = a, case .text(let b) = b else { return a == b }
        return a.utf8.elementsEqual(b.utf8)
      }
  }

  func hash(into hasher: inout Hasher) {
    for value in values {
      if case .text(let text) = value {
        for byte in text.utf8 { hasher.combine(byte) }
      } else {
        hasher.combine(value)
      }
    }
  }
}
