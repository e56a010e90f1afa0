import RallyWire

/// Migrates a PostgreSQL database, one server at a time.
enum PostgresMigrations {
  /// - Throws: `StorageFailure` unless the database has exactly this version's migrations and is not
  ///   half moved.
  static func requireDone(_ steps: [Migrator.Step], on connection: PostgresConnection) throws {
    let database = Database(.postgres, on: connection)
    try requireMoved(database)
    let isThere = try Bool.fetchOne(database, sql: "SELECT to_regclass('migrations') IS NOT NULL")
    guard isThere == true, try done(of: steps, in: database).count == steps.count else {
      throw StorageFailure(
        kind: .other,
        message: "This database is of no Rally, or of an older one; start the server once with"
          + " this version.")
    }
  }

  private static func done(
    of steps: [Migrator.Step], in database: Database
  ) throws -> Set<String> {
    let done = try String.fetchSet(database, sql: "SELECT name FROM migrations")
    guard done.isSubset(of: steps.map(\.name)) else {
      throw StorageFailure(
        kind: .other,
        message: "A newer Rally has changed this database; use that version or a newer one.")
    }
    return done
  }

  /// "rally" as a number: the advisory lock held during migration.
  private static let lock: Int64 = 0x72_61_6C_6C_79

  private static func requireMoved(_ database: Database) throws {
    guard
      try Bool.fetchOne(
        database, sql: "SELECT to_regclass('\(MoveMarker.table)') IS NULL") == true
    else {
      throw StorageFailure(
        kind: .other,
        message: "This database is half moved; run `rally serve move` again, as you began it.")
    }
  }

  /// - Parameter isMoving: Whether the caller is the move, which may go on where it was ended.
  static func run(
    _ steps: [Migrator.Step], on connection: PostgresConnection, isMoving: Bool = false
  ) throws {
    connection.isMigrating = true
    defer { connection.isMigrating = false }
    // Another server's migration may take long.
    try connection.executeScript("SET statement_timeout = 0")
    try connection.executeScript("SELECT pg_advisory_lock(\(lock))")
    defer {
      try? connection.executeScript("SELECT pg_advisory_unlock(\(lock))")
      try? connection.executeScript("SET statement_timeout = '30s'")
    }
    try connection.executeScript(
      "CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)")
    let database = Database(.postgres, on: connection)
    if !isMoving { try requireMoved(database) }
    let done = try PostgresMigrations.done(of: steps, in: database)
    for step in steps where !done.contains(step.name) {
      try connection.transaction("BEGIN") { _ in
        try step.run(database)
        try database.execute(
          sql: "INSERT INTO migrations (name, at) VALUES (?, ?)",
          arguments: [step.name, WireTime.now.microseconds])
      }
    }
  }
}
