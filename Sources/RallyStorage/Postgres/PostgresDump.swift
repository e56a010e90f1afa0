/// The commands of PostgreSQL that back a server's database up and restore it, for a shell.
///
/// Without what is no use in a restored database: tables that are not logged, and the feed, whose
/// entries are numbered by transactions of the installation that they were written in. Neither has a
/// password, which belongs into `PGPASSWORD` or `~/.pgpass`.
public struct PostgresDump: Sendable {
  private let address: String
  private let schema: String

  /// Asks the database for its schema.
  ///
  /// - Parameter isServed: Whether there has to be a server's database of this version.
  /// - Throws: `StorageFailure`.
  public init(_ address: PostgresAddress, isServed: Bool) throws {
    let connection = PostgresConnection(address)
    defer { connection.close() }
    try connection.open()
    if isServed {
      try PostgresMigrations.requireDone(Migrations.migrator.steps, on: connection)
    }
    self.address = address.description
    schema =
      try String.fetchOne(
        Database(.postgres, on: connection), sql: "SELECT CAST(current_schema() AS text)")
      ?? "public"
  }

  public func backup(to file: String) -> String {
    // Without it the whole database is dumped, with its extensions.
    let part = schema == "public" ? [] : ["--schema=\(pattern)"]
    return PostgresDump.line(
      ["pg_dump", "--format=custom", "--no-unlogged-table-data"] + part
        + ["--exclude-table-data=\(pattern).changes", "--file=\(file)", "--dbname=\(address)"])
  }

  /// - Parameter isReplacing: Whether the tables that are there are removed first.
  public func restore(from file: String, replacing isReplacing: Bool) -> String {
    PostgresDump.line(
      ["pg_restore", "--single-transaction", "--exit-on-error", "--no-owner"]
        + (isReplacing ? ["--clean", "--if-exists"] : []) + ["--dbname=\(address)", file])
  }

  /// The schema as a pattern of pg_dump that is nothing else.
  private var pattern: String { "\"\(schema.replacing("\"", with: "\"\""))\"" }

  private static func line(_ words: [String]) -> String {
    words.map { word in
      word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_=./:@".contains($0)) }
        ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }.joined(separator: " ")
  }
}
