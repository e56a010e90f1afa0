import Foundation
import GRDB
import RallyText
import RallyWire

/// Checks a database: SQLite's integrity, the schema, and the rules' invariants.
public enum DatabaseCheck {
  /// A sentence for each problem. Can run beside a server.
  ///
  /// - Throws: `ExistingDatabase.Failure`, or the error of reading the file.
  public static func problems(in folder: String) throws -> [String] {
    let path = ExistingDatabase.path(in: folder)
    try ExistingDatabase.requireCurrent(path)
    let queue = try ExistingDatabase.queue(path)
    defer { try? queue.close() }
    return try queue.read { try problems(in: $0) }
  }

  static func problems(in database: GRDB.Database) throws -> [String] {
    let pages = try String.fetchAll(database, sql: "PRAGMA integrity_check(20)")
      .filter { $0 != "ok" }
    guard pages.isEmpty else { return pages }
    // The following checks need the right schema.
    let differences = try SchemaCheck.differences(in: database)
    guard differences.isEmpty else { return differences }
    let orphans = try GRDB.Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { row in
      "a row of \(row["table"] as String) refers to a missing row of \(row["parent"] as String)"
    }
    return try orphans
      + (rules + [endOfFeed]).compactMap { words, query in
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(query))") ?? 0
        return count == 0 ? nil : "\(count) × \(words)"
      }
  }

  /// Invariants, as queries for violations, in SQL that both engines take.
  static let rules: [(words: String, query: String)] = [
    (
      "friendship beside a block",
      """
      SELECT 1 FROM friendships f JOIN blocks b
        ON (b.blocker = f.smaller AND b.blocked = f.larger)
        OR (b.blocker = f.larger AND b.blocked = f.smaller)
      """
    ),
    (
      "accepted friendship without a time, or the other way round",
      "SELECT 1 FROM friendships WHERE (status = 'accepted') <> (accepted_at IS NOT NULL)"
    ),
    (
      "mission with more people than places",
      """
      SELECT 1 FROM missions m WHERE m.capacity < (
        SELECT count(*) FROM mission_members b WHERE b.mission_id = m.id AND b.state = 'joined')
      """
    ),
    (
      "mission whose creator is not in it",
      """
      SELECT 1 FROM missions m WHERE m.creator IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM mission_members b
        WHERE b.mission_id = m.id AND b.user_id = m.creator AND b.state = 'joined')
      """
    ),
    (
      "objective whose check-ins are not numbered from one",
      """
      SELECT objective_id FROM check_ins GROUP BY objective_id
      HAVING min(number) <> 1 OR max(number) <> count(*)
      """
    ),
    (
      "code that was used more often than it may be",
      """
      SELECT 1 FROM invitations i
      WHERE i.uses < (SELECT count(*) FROM invitation_uses u WHERE u.code = i.code)
      """
    ),
    (
      // Entries of the last minutes are all there; a second is the slack of the clock's ties.
      "line of a mission that the feed does not know",
      """
      SELECT 1 FROM mission_activity a
      WHERE a.created_at > (SELECT min(at) + 1000000 FROM changes)
        AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.tbl = 'mission_activity' AND c.key = a.id)
      """
    ),
  ]

  private static let endOfFeed = (
    words: "entry of the feed beyond its end",
    query: """
    SELECT 1 FROM changes
    WHERE seq > (SELECT seq FROM sqlite_sequence WHERE name = 'changes')
    """
  )
}

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

/// Compares the schema of a database with the result of its migrations.
///
/// A forged backup could contain a trigger or view that the server would run.
enum SchemaCheck {
  private struct Item: Hashable {
    let type: String
    let name: String
  }

  /// A sentence for each difference.
  static func differences(in database: GRDB.Database) throws -> [String] {
    let done = try SQLiteEngine.migrator.appliedIdentifiers(database)
    let model = try DatabaseQueue()
    if let last = SQLiteEngine.migrator.migrations.last(where: done.contains) {
      try SQLiteEngine.migrator.migrate(model, upTo: last)
    }
    let wanted = try model.read(items)
    let found = try items(of: database)
    let names = Set(wanted.keys).union(found.keys)
    return names.sorted { ($0.type, $0.name) < ($1.type, $1.name) }.compactMap { item in
      let name = "the \(item.type) \(item.name.cleanedForDisplay)"
      return switch (wanted[item], found[item]) {
      case (nil, _): "\(name) does not belong there"
      case (_, nil): "\(name) is missing"
      case (let wanted, let found): wanted == found ? nil : "\(name) is another one"
      }
    }
  }

  /// The SQL of each item, without spaces; without SQLite's own tables.
  private static func items(of database: GRDB.Database) throws -> [Item: String] {
    // The SQL of FTS5's shadow tables depends on SQLite's version.
    let shadows = try Set(
      String.fetchAll(database, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'"))
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%'"
        + " ESCAPE '\\'")
    return Dictionary(
      rows.map { row in
        let (type, name): (String, String) = (row["type"], row["name"])
        let text = shadows.contains(name) ? "" : (row["sql"] as String? ?? "")
        return (Item(type: type, name: name), text.filter { !$0.isWhitespace })
      }, uniquingKeysWith: { first, _ in first })
  }
}
