import GRDB
import RallyWire
import Testing

@testable import RallyServer

/// A database from before bytes were counted.
@Suite struct TextsMigrationTests {
  @Test func `the step to limited texts cuts what is stored`() throws {
    let queue = try DatabaseQueue()
    let migrator = SQLiteEngine.migrator
    let step = try #require(migrator.migrations.firstIndex(of: "texts of limited bytes"))
    try migrator.migrate(queue, upTo: migrator.migrations[step - 1])
    let bio = "e" + String(repeating: "\u{301}", count: 10_000)
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO users (id, identity_id, email, password, metadata, created_at, updated_at,
            last_sign_in_at) VALUES ('a', 'i', 'a@x.org', '', '{}', 0, 0, 0);
          INSERT INTO profiles (id, username, display_name, display_key, bio, version, created_at)
            VALUES ('a', 'ana', 'Ana', 'ana', '', 1, 0)
          """)
      try database.execute(sql: "UPDATE profiles SET bio = ?", arguments: [bio])
    }

    try migrator.migrate(queue)

    let stored = try queue.read { try String.fetchOne($0, sql: "SELECT bio FROM profiles") }
    #expect(stored == "e" + String(repeating: "\u{301}", count: TextLimits.marks))
  }
}
