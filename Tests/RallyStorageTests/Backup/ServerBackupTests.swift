import Foundation
import GRDB
import RallyRules
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

@Suite struct ServerBackupTests {
  /// A place beside the data folder.
  private func place(_ folder: ServedFolder) -> String { folder.path + ".backup" }

  @Test func `a backup taken while people write has all that was acknowledged before`() async throws
  {
    let (folder, other) = (ServedFolder(), ServedFolder())
    defer { unlink(place(folder)) }
    let (key, token, told) = try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      let mission = try await ana.result(of: CreateMission.sample())
      @Sendable func say(_ number: Int) async throws {
        _ = try await ana.result(
          of: SayInMission(missionID: mission.id, text: "line \(number)"))
      }
      for number in 0..<50 { try await say(number) }
      async let more: Void = {
        for number in 50..<200 { try await say(number) }
      }()
      let summary = try ServerBackup.make(of: folder.path, to: place(folder))
      #expect(summary.accounts == 1)
      try await more
      return (server.key, ana.session.accessToken, mission.id)
    }
    #expect(try folder.permissions(of: place(folder)) == 0o600)

    let restored = try ServerBackup.restore(place(folder), into: other.path)
    #expect(restored.accounts == 1)
    #expect(try DatabaseCheck.problems(in: other.path) == [])
    try await other.serve { server in
      // The keys came along: whoever was signed in still is.
      #expect(server.key == key)
      var client = RawClient(server)
      client.token = token
      let lines = try await client.result(of: FetchMissionActivity(missionID: told, limit: 200))
      let said = Set(lines.compactMap(\.text))
      #expect(said.isSuperset(of: (0..<50).map { "line \($0)" }))
    }
  }

  @Test func `a file that is there stays unless it may be replaced`() async throws {
    let folder = ServedFolder()
    defer { unlink(place(folder)) }
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    try Data("precious".utf8).write(to: URL(filePath: place(folder)))
    #expect(throws: ServerBackup.Failure.exists(place(folder))) {
      try ServerBackup.make(of: folder.path, to: place(folder))
    }
    #expect(FileManager.default.contents(atPath: place(folder)) == Data("precious".utf8))
    #expect(throws: ServerBackup.Failure.notABackup(folder.path)) {
      try ServerBackup.restore(folder.path, into: folder.path, replacing: true)
    }
    #expect(throws: ServerBackup.Failure.notABackup(place(folder))) {
      try ServerBackup.restore(place(folder), into: folder.path, replacing: true)
    }
    _ = try ServerBackup.make(of: folder.path, to: place(folder), replacing: true)
    #expect(throws: ServerBackup.Failure.occupied(folder.path)) {
      try ServerBackup.restore(place(folder), into: folder.path)
    }
    let left = try FileManager.default.contentsOfDirectory(
      atPath: (folder.path as NSString).deletingLastPathComponent)
    let name = (place(folder) as NSString).lastPathComponent
    #expect(!left.contains { $0.hasPrefix(name) && $0.hasSuffix(".part") })
  }

  @Test func `no backup is made without the keys`() async throws {
    let folder = ServedFolder()
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    let keys = folder.path + "/server.json"
    func expect(_ failure: DataFolderFailure) {
      #expect(throws: failure) { try ServerBackup.make(of: folder.path, to: place(folder)) }
      #expect(!FileManager.default.fileExists(atPath: place(folder)))
    }
    try Data("{}".utf8).write(to: URL(filePath: keys))
    expect(.damagedKeys(path: keys))
    unlink(keys)
    expect(.missingKeys(path: keys))
    symlink("server.json", keys)
    expect(.unreadableKeys(path: keys, reason: String(cString: strerror(ELOOP))))
  }

  @Test func `a restore keeps what was there under another name`() async throws {
    let folder = ServedFolder()
    defer { unlink(place(folder)) }
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    _ = try ServerBackup.make(of: folder.path, to: place(folder))
    try await folder.serve { _ = try await Person.signUp("bob", on: $0) }
    _ = try SecretRotation.rotate(folder: folder.path)
    let keys = folder.path + "/server.json"
    let before = FileManager.default.contents(atPath: keys)
    _ = try ServerBackup.restore(place(folder), into: folder.path, replacing: true)
    let names = try await folder.administer { try await $0.accounts().map(\.username) }
    #expect(names == ["ana"])
    let old = try ExistingDatabase.queue(folder.path + "/rally.db.replaced")
    let kept = try await old.read {
      try String.fetchAll($0, sql: "SELECT username FROM profiles ORDER BY username")
    }
    #expect(kept == ["ana", "bob"])
    try old.close()
    #expect(FileManager.default.contents(atPath: keys + ".replaced") == before)
    #expect(FileManager.default.contents(atPath: keys) != before)
    #expect(try folder.permissions(of: keys + ".replaced") == 0o600)
  }

  @Test func `nothing is restored under a running server, nor from a damaged file`() async throws {
    let folder = ServedFolder()
    defer { unlink(place(folder)) }
    try await folder.serve { server in
      _ = try await Person.signUp("ana", on: server)
      _ = try ServerBackup.make(of: folder.path, to: place(folder))
      #expect(throws: DataFolderLock.Failure.self) {
        try ServerBackup.restore(place(folder), into: folder.path, replacing: true)
      }
    }
    let file = try FileHandle(forUpdating: URL(filePath: place(folder)))
    let size = try file.seekToEnd()
    // The second half of every page.
    for page in stride(from: UInt64(4096), to: size, by: 4096) {
      try file.seek(toOffset: page + 2048)
      try file.write(contentsOf: Data(repeating: 0xA5, count: 2048))
    }
    try file.close()
    #expect(throws: (any Error).self) {
      try ServerBackup.restore(place(folder), into: folder.path, replacing: true)
    }
    #expect(try await folder.administer { try await $0.accounts().count } == 1)
    #expect(
      try !FileManager.default.contentsOfDirectory(atPath: folder.path)
        .contains { $0.contains("restored") })
  }

  @Test func `a backup with a single flipped bit is refused`() async throws {
    let (folder, other) = (ServedFolder(), ServedFolder())
    defer { unlink(place(folder)) }
    try await folder.serve { server in
      let ana = try await Person.signUp("ana", on: server)
      let mission = try await ana.result(of: CreateMission.sample())
      for number in 0..<20 {
        _ = try await ana.result(
          of: SayInMission(missionID: mission.id, text: "line \(number)"))
      }
      _ = try ServerBackup.make(of: folder.path, to: place(folder))
    }
    let whole = try #require(FileManager.default.contents(atPath: place(folder)))
    var numbers = SeededGenerator(seed: TestEngine.seed)
    for _ in 0..<200 {
      var data = whole
      let byte = Int.random(in: 0..<data.count, using: &numbers)
      data[byte] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
      try data.write(to: URL(filePath: place(folder)))
      #expect(throws: (any Error).self, "byte \(byte)") {
        try ServerBackup.restore(place(folder), into: other.path)
      }
    }
    try whole.dropLast(4096).write(to: URL(filePath: place(folder)))
    #expect(throws: (any Error).self) {
      try ServerBackup.restore(place(folder), into: other.path)
    }
    #expect(!FileManager.default.fileExists(atPath: other.path + "/rally.db"))
    try whole.write(to: URL(filePath: place(folder)))
    #expect(try ServerBackup.restore(place(folder), into: other.path).accounts == 1)
  }

  @Test func `a backup from before checksums is restored`() async throws {
    let (folder, other) = (ServedFolder(), ServedFolder())
    defer { unlink(place(folder)) }
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    _ = try ServerBackup.make(of: folder.path, to: place(folder))
    let queue = try DatabaseQueue(path: place(folder))
    try await queue.write { try $0.execute(sql: "DROP TABLE \(BackupChecksum.table)") }
    try await queue.vacuum()
    try queue.close()
    #expect(try ServerBackup.restore(place(folder), into: other.path).accounts == 1)
  }

  @Test func `a backup of another shape is refused, and the difference named`() async throws {
    let (folder, other) = (ServedFolder(), ServedFolder())
    defer { unlink(place(folder)) }
    try await folder.serve { _ = try await Person.signUp("ana", on: $0) }
    for (change, difference) in [
      (
        "CREATE TRIGGER spy AFTER INSERT ON sessions BEGIN DELETE FROM blocks; END",
        "the trigger spy does not belong there"
      ),
      ("CREATE VIEW people AS SELECT * FROM users", "the view people does not belong there"),
      ("CREATE TABLE \"a\u{1B}[2J\" (b)", "the table a[2J does not belong there"),
      ("DROP TABLE exchanged_tokens", "the table exchanged_tokens is missing"),
      ("DROP TRIGGER people_go", "the trigger people_go is missing"),
      ("ALTER TABLE blocks ADD COLUMN note TEXT", "the table blocks is another one"),
    ] {
      _ = try ServerBackup.make(of: folder.path, to: place(folder), replacing: true)
      let queue = try DatabaseQueue(path: place(folder))
      try await queue.write { try $0.execute(sql: change) }
      try queue.close()
      // As one who means it would.
      try BackupChecksum.seal(place(folder))
      #expect(throws: ServerBackup.Failure.damaged(place(folder), problem: difference)) {
        try ServerBackup.restore(place(folder), into: other.path)
      }
      #expect(!FileManager.default.fileExists(atPath: other.path + "/rally.db"))
    }
  }

  @Test func `a backup of an earlier version is compared with what that version made`() throws {
    let queue = try DatabaseQueue()
    let steps = SQLiteEngine.migrator.migrations
    try SQLiteEngine.migrator.migrate(queue, upTo: steps[steps.count - 2])
    #expect(try queue.read(SchemaCheck.differences) == [])
    try queue.write { try $0.execute(sql: "DROP TABLE sessions") }
    #expect(try !queue.read(SchemaCheck.differences).isEmpty)
  }

  @Test func `the check finds what the rules forbid`() async throws {
    let folder = ServedFolder()
    try await folder.serve { server in
      let (ana, bob) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("bob", on: server)
      )
      try await ana.befriend(bob)
      _ = try await ana.result(of: CreateMission.sample(capacity: 3))
      #expect(try DatabaseCheck.problems(in: folder.path) == [])
    }
    let queue = try ExistingDatabase.queue(folder.path + "/rally.db")
    try await queue.write { database in
      try database.execute(
        sql: "INSERT INTO blocks SELECT smaller, larger, 0 FROM friendships")
      try database.execute(sql: "UPDATE missions SET capacity = 0")
    }
    try queue.close()
    #expect(
      try DatabaseCheck.problems(in: folder.path) == [
        "1 × friendship beside a block", "1 × mission with more people than places",
      ])
  }
}
