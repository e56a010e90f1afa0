import RallyStorage
import RallyWire

/// The table `written`: the bytes of text that each user has stored in missions.
enum WrittenRecords {
  static func bytes(of person: String, in database: Database) throws -> Int {
    try Int.fetchOne(
      database, sql: "SELECT bytes FROM written WHERE user_id = ?", arguments: [person]) ?? 0
  }

  static func add(_ bytes: Int, to person: String, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO written (user_id, bytes) VALUES (:person, :bytes)
        ON CONFLICT (user_id) DO UPDATE SET bytes = written.bytes + :bytes
        """, arguments: ["person": person, "bytes": bytes])
  }
}
