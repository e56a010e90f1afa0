import Foundation
import GRDB
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

/// What was deleted or overwritten does not stay readable in the database's log.
@Suite struct SQLiteLogTests {
  private static let secret = "48.20817 16.37382 the old quarry"

  private func bytes(_ path: String) -> Data {
    FileManager.default.contents(atPath: path) ?? Data()
  }

  private func isReadable(_ path: String) -> Bool {
    bytes(path).range(of: Data(Self.secret.utf8)) != nil
  }

  /// A database in a folder of its own whose log is emptied soon after a commit.
  private func withEngine(
    _ body: (Storage, _ database: String, _ log: String) async throws -> Void
  ) async throws {
    let folder = ServedFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/rally.db"
    let storage = Storage(try SQLiteEngine(path: path, logAge: .milliseconds(20)))
    try await body(storage, path, path + "-wal")
    try storage.close()
  }

  private func say(_ text: String, _ storage: Storage) async throws {
    try await storage.write { database in
      try database.execute(sql: "CREATE TABLE IF NOT EXISTS notes (id INTEGER, text TEXT)")
      try database.execute(sql: "DELETE FROM notes")
      try database.execute(sql: "INSERT INTO notes VALUES (1, ?)", arguments: [text])
    }
  }

  @Test func `what was overwritten is in no file soon after`() async throws {
    try await withEngine { storage, database, log in
      try await say(Self.secret, storage)
      try await eventually("the text in the database") { isReadable(database) }
      try await say("something else", storage)
      try await eventually("an empty log") { bytes(log).isEmpty }
      #expect(!isReadable(database))
      #expect(!isReadable(log))
    }
  }

  @Test func `a reader keeps the log, and the log keeps nobody waiting`() async throws {
    try await withEngine { storage, database, log in
      try await say(Self.secret, storage)
      var configuration = Configuration()
      configuration.allowsUnsafeTransactions = true
      let reader = try DatabaseQueue(path: database, configuration: configuration)
      try await reader.writeWithoutTransaction { database in
        try database.execute(sql: "BEGIN")
        _ = try GRDB.Row.fetchAll(database, sql: "SELECT * FROM notes")
      }
      for number in 0..<20 { try await say("number \(number)", storage) }
      // Long enough for a try that meets the reader: the log is emptied by the one after it.
      try await Task.sleep(for: .milliseconds(500))
      #expect(isReadable(log) || isReadable(database))
      try await reader.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
      try await eventually("an empty log") { bytes(log).isEmpty }
      #expect(!isReadable(database))
      try reader.close()
    }
  }

  @Test func `what a server keeps in its log is gone within a minute`() {
    #expect(SQLiteEngine.logAge <= .seconds(55))
  }

  @Test func `what another process wrote leaves the log, too`() async throws {
    try await withEngine { storage, database, log in
      try await eventually("an empty log") { bytes(log).isEmpty }
      let beside = Storage(try SQLiteEngine(path: database, isShared: true))
      try await say(Self.secret, beside)
      try await say("something else", beside)
      try beside.close()
      #expect(isReadable(log))
      storage.othersWrote()
      try await eventually("an empty log") { bytes(log).isEmpty }
      #expect(!isReadable(database))
    }
  }
}
