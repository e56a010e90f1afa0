import RallyWire

/// The table `rally_move` of a target, from the first row to the last comparison: it says from which
/// server the rows are, and keeps servers away from a half-moved database.
enum MoveMarker {
  static let table = "rally_move"

  /// - Parameter source: What stays the same of a server, in any database: its API key, as a digest.
  package static func set(of source: ServerKeys, in database: Database) throws {
    try database.execute(
      sql: "CREATE TABLE \(table) (source TEXT NOT NULL, begun_at BIGINT NOT NULL)")
    try database.execute(
      sql: "INSERT INTO \(table) (source, begun_at) VALUES (?, ?)",
      arguments: [digest(of: source), WireTime.now])
  }

  static func isOf(_ source: ServerKeys, in database: Database) throws -> Bool {
    try String.fetchOne(database, sql: "SELECT source FROM \(table)") == digest(of: source)
  }

  static func remove(from database: Database) throws {
    try database.execute(sql: "DROP TABLE \(table)")
  }

  private static func digest(of keys: ServerKeys) -> String {
    Base64URL.encode(Sodium.sha256(Array(keys.apiKey.utf8)))
  }
}
