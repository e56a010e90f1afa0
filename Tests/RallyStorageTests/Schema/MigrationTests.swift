import GRDB
import RallyWire
import Testing

@testable import RallyStorage

/// Databases of earlier versions, with Ana in them.
@Suite struct MigrationTests {
  private let queue: DatabaseQueue

  init() throws { queue = try DatabaseQueue() }

  /// Makes the database as it was before this step.
  private func begin(before step: String) throws {
    let migrator = SQLiteEngine.migrator
    let index = try #require(migrator.migrations.firstIndex(of: step))
    try migrator.migrate(queue, upTo: migrator.migrations[index - 1])
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO users (id, identity_id, email, password, metadata, created_at, updated_at,
            last_sign_in_at) VALUES ('a', 'i', 'a@x.org', '', '{}', 0, 0, 0);
          INSERT INTO profiles (id, username, display_name, display_key, bio, version, created_at)
            VALUES ('a', 'ana', 'Ana', 'ana', '', 1, 0)
          """)
    }
  }

  @Test func `the step to limited texts cuts what is stored`() throws {
    try begin(before: "texts of limited bytes")
    let bio = "e" + String(repeating: "\u{301}", count: 10_000)
    try queue.write { try $0.execute(sql: "UPDATE profiles SET bio = ?", arguments: [bio]) }

    try SQLiteEngine.migrator.migrate(queue)

    let stored = try queue.read { try String.fetchOne($0, sql: "SELECT bio FROM profiles") }
    #expect(stored == "e" + String(repeating: "\u{301}", count: TextLimits.marks))
  }

  @Test func `the step to names beside their rows keeps who is found, also after a new name`()
    throws
  {
    try begin(before: "names beside their rows")
    try SQLiteEngine.migrator.migrate(queue)

    /// The names beside the rows that the index gives for three letters.
    func found(_ letters: String) throws -> [String] {
      try queue.read { database in
        try String.fetchAll(
          database,
          sql: """
            SELECT r.username || ' ' || r.display_key
            FROM people_letters l JOIN people_rows r ON r.row = l.rowid
            WHERE people_letters MATCH ?
            """, arguments: [letters])
      }
    }
    #expect(try found("ana") == ["ana ana"])
    try queue.write {
      try $0.execute(sql: "UPDATE profiles SET username = 'zora', display_key = 'zora z'")
    }
    #expect(try found("ana") == [])
    #expect(try found("ora") == ["zora zora z"])
    try queue.write { try $0.execute(sql: "DELETE FROM profiles") }
    #expect(try found("ora") == [])
  }
}
