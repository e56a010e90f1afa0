import RallyWire

/// Brings a PostgreSQL database up to date, by one server at a time.
enum PostgresMigrations {
  /// "rally" as a number: whoever migrates holds the advisory lock of this name.
  private static let lock: Int64 = 0x72_61_6C_6C_79

  static func run(_ steps: [Migrator.Step], on connection: PostgresConnection) throws {
    connection.isMigrating = true
    defer { connection.isMigrating = false }
    // Another server's steps may take their time.
    try connection.executeScript("SET statement_timeout = 0")
    try connection.executeScript("SELECT pg_advisory_lock(\(lock))")
    defer {
      try? connection.executeScript("SELECT pg_advisory_unlock(\(lock))")
      try? connection.executeScript("SET statement_timeout = '30s'")
    }
    try connection.executeScript(
      "CREATE TABLE IF NOT EXISTS migrations (name TEXT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)")
    let database = Database(.postgres, on: connection)
    let done = try String.fetchSet(database, sql: "SELECT name FROM migrations")
    let known = Set(steps.map(\.name))
    guard done.isSubset(of: known) else {
      throw StorageFailure(
        kind: .other,
        message: "A newer Rally has changed this database; use that version or a newer one.")
    }
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
