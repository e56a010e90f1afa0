import Foundation
import GRDB
import RallyTestSupport
import Testing

@testable import RallyStorage

@Suite struct DatabaseMoveTests {
  private struct Ended: Error {}

  @Test func `every row and the keys are the same after going there and back`() async throws {
    var world = try await MovingWorld()
    let before = try world.rows(of: "server")
    for (table, rows) in before { #expect(!rows.isEmpty, "\(table) has no row to move") }
    for isEncrypted in [false, true] {
      world.address = try PostgresFixture.shared.get().database()
      let target = isEncrypted ? world.vault : world.postgres
      let moved = try world.move(world.source, to: target)
      #expect(moved.allSatisfy { $0.differences == 0 })
      for table in moved { #expect(table.rows == before[table.table]?.count, "\(table.table)") }
      let returned = try world.move(target, to: world.back)
      #expect(returned == moved)
      let after = try world.rows(of: "back")
      for (table, rows) in before { #expect(after[table] == rows, "\(table)") }
      let (keys, others) = (try world.keys(of: "server"), try world.keys(of: "back"))
      #expect(keys.apiKey == others.apiKey && keys.all == others.all)
      #expect(world.folder.permissions(of: "back/server.json") == 0o600)
      #expect(world.folder.permissions(of: "back/rally.db") == 0o600)
      try FileManager.default.removeItem(atPath: world.folder.file("back"))
    }
    #expect(world.folder.permissions(of: "key") == 0o600)
    // What is moved stays.
    #expect(try world.rows(of: "server") == before)
  }

  @Test func `a folder that was moved into has its index of names and nothing of the move`()
    async throws
  {
    let world = try await MovingWorld()
    try world.move(world.source, to: world.postgres)
    try world.move(world.postgres, to: world.back)
    let queue = try ExistingDatabase.queue(world.folder.file("back/rally.db"))
    try await queue.read { database in
      #expect(try SchemaCheck.differences(in: database) == [])
      let people = try Int.fetchOne(database, sql: "SELECT count(*) FROM profiles") ?? 0
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM people_rows") == people)
      let found = try Int.fetchOne(
        database,
        sql: "SELECT count(*) FROM people_letters WHERE people_letters MATCH '\"nam\"'")
      #expect(people > 0 && found == people)
    }
    try queue.close()
    let acts = try AuditLog(folder: world.folder.file("back")).entries()
    #expect(acts.map(\.act) == [.move])
    #expect(acts.first?.file == "\(world.postgres)")
  }

  @Test(arguments: [true, false])
  func `a move that was ended after any batch goes on`(isBack: Bool) async throws {
    let world = try await MovingWorld(people: 4)
    // More than two batches in one table.
    try world.change(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO calls (user_id, client_id, function, args_hash, at)
      SELECT (SELECT min(id) FROM users), 'call ' || i, 'f', 'h', i FROM n
      """)
    let before = try world.rows(of: "server")
    var (from, target) = (world.source, world.postgres)
    if isBack {
      try world.move(from, to: target)
      (from, target) = (target, world.back)
    }
    /// Whether the move was ended there, and not done before.
    func isEnded(in stage: DatabaseMove.Stage, after batches: Int) throws -> Bool {
      var left = batches
      do {
        try world.move(from, to: target) { progress in
          guard progress.stage == stage else { return }
          left -= 1
          if left == 0 { throw Ended() }
        }
        return false
      } catch is Ended {
        return true
      }
    }
    // Every table has one, the calls have three.
    let batches = try MovedTable.all().count + 2
    for batch in 1...batches {
      #expect(try isEnded(in: .copying, after: batch))
      try await expectHalfMoved(world, isBack: isBack)
    }
    for stage in [DatabaseMove.Stage.comparing, .checking] {
      #expect(try isEnded(in: stage, after: batches))
      try await expectHalfMoved(world, isBack: isBack)
    }
    #expect(try !isEnded(in: .copying, after: batches + 1))
    if !isBack { try world.move(world.postgres, to: world.back) }
    #expect(try world.rows(of: "back") == before)
  }

  /// No server and no command takes the target.
  private func expectHalfMoved(_ world: MovingWorld, isBack: Bool) async throws {
    if isBack {
      let path = world.folder.file("back/rally.db")
      #expect(throws: ExistingDatabase.Failure.halfMoved(path)) { _ = try Storage(path: path) }
      #expect(throws: ExistingDatabase.Failure.halfMoved(path)) {
        try ExistingDatabase.requireCurrent(path)
      }
      return
    }
    for migrates in [true, false] {
      let failure = await #expect(throws: StorageFailure.self) {
        _ = try await PostgresEngine(world.address, connections: 1, migrates: migrates)
      }
      #expect(failure?.message.contains("half moved") == true)
    }
  }

  @Test func `what was served between two runs is taken as it is now`() async throws {
    let world = try await MovingWorld()
    #expect(throws: Ended.self) {
      try world.move(world.source, to: world.postgres) {
        if $0.stage == .comparing { throw Ended() }
      }
    }
    // Two people exchange their names, one and a mission go, one comes, a line changes its accent.
    try world.change(
      """
      CREATE TEMP TABLE two AS SELECT id, username FROM profiles ORDER BY id LIMIT 2;
      UPDATE profiles SET username = 'nobody' WHERE id = (SELECT min(id) FROM two);
      UPDATE profiles SET username = (SELECT username FROM two ORDER BY id LIMIT 1)
        WHERE id = (SELECT max(id) FROM two);
      UPDATE profiles SET username = (SELECT username FROM two ORDER BY id DESC LIMIT 1)
        WHERE id = (SELECT min(id) FROM two);
      DELETE FROM users WHERE id = (SELECT max(id) FROM users);
      DELETE FROM missions WHERE id = (SELECT max(id) FROM missions);
      INSERT INTO users SELECT 'new', identity_id, 'new', password, metadata, is_banned, created_at,
        updated_at, last_sign_in_at FROM users LIMIT 1;
      UPDATE objectives SET title = 'e\u{301}' || substr(title, 2) WHERE title LIKE 'é%';
      """)
    let now = try world.rows(of: "server")
    let compared = try world.move(world.source, to: world.postgres)
    #expect(compared.allSatisfy { $0.differences == 0 })
    try world.move(world.postgres, to: world.back)
    #expect(try world.rows(of: "back") == now)
  }

  @Test func `what differs is counted, keeps servers away, and is mended by the next run`()
    async throws
  {
    let world = try await MovingWorld()
    let schema = try #require(world.address.description.firstMatch(of: /test_[0-9]+/)?.output)
    var isTouched = false
    let compared = try world.move(world.source, to: world.postgres) { progress in
      guard progress.stage == .comparing, !isTouched else { return }
      isTouched = true
      // Those of the first table were compared already.
      try PostgresFixture.shared.get().execute(
        """
        SET search_path = \(schema);
        UPDATE profiles SET bio = bio || ' ' WHERE id = (SELECT min(id) FROM profiles);
        DELETE FROM privacy_rules WHERE user_id = (SELECT min(user_id) FROM privacy_rules);
        INSERT INTO calls SELECT user_id, 'another', function, args_hash, result, at
          FROM calls LIMIT 1
        """)
    }
    let different = compared.filter { $0.differences > 0 }
    #expect(Set(different.map(\.table)) == ["profiles", "privacy_rules", "calls"])
    #expect(different.allSatisfy { $0.differences == 1 })
    try await expectHalfMoved(world, isBack: false)
    let again = try world.move(world.source, to: world.postgres)
    #expect(again.allSatisfy { $0.differences == 0 })
    try world.move(world.postgres, to: world.back)
    #expect(try world.rows(of: "back") == world.rows(of: "server"))
  }
}
