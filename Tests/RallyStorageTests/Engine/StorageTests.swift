import Foundation
import GRDB
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

@Suite struct StorageTests {
  private struct Refused: Error {}

  @Test func `a write that throws takes nothing from its neighbours`() async throws {
    let storage = try Storage(path: nil)
    try await storage.write { try $0.execute(sql: "CREATE TABLE numbers (n INTEGER)") }
    let failures = await withTaskGroup(of: Bool.self) { tasks in
      for number in 0..<100 {
        tasks.addTask {
          do {
            try await storage.write { database in
              try database.execute(sql: "INSERT INTO numbers VALUES (?)", arguments: [number])
              if number.isMultiple(of: 3) { throw Refused() }
            }
            return false
          } catch {
            return error is Refused
          }
        }
      }
      return await tasks.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(failures == 34)
    let stored = try await storage.read {
      try Int.fetchAll($0, sql: "SELECT n FROM numbers ORDER BY n")
    }
    #expect(stored == (0..<100).filter { !$0.isMultiple(of: 3) })
  }

  @Test func `writes that wait share a commit`() async throws {
    let storage = try Storage(path: nil)
    let commits = Counter()
    storage.onCommit { commits.increment() }
    let gate = DispatchSemaphore(value: 0)
    let (begun, didBegin) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await storage.write { _ in
        didBegin.finish()
        gate.wait()
      }
    }
    for await _ in begun {}
    // The writer is busy with the first; the others can only queue up behind it.
    let others = (0..<20).map { number in Task { try await storage.write { _ in number } } }
    while storage.waitingWrites < 20 { await Task.yield() }
    gate.signal()
    try await first.value
    for (number, task) in others.enumerated() { #expect(try await task.value == number) }
    #expect(commits.value == 2)
  }

  @Test func `the database is in write-ahead mode and fully durable`() async throws {
    let folder = "/tmp/rally-test-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let storage = try Storage(path: try DataFolder(path: folder).databasePath)
    let settings = try await storage.write { database in
      [
        try String.fetchOne(database, sql: "PRAGMA journal_mode"),
        try String.fetchOne(database, sql: "PRAGMA synchronous"),
        try String.fetchOne(database, sql: "PRAGMA busy_timeout"),
        try String.fetchOne(database, sql: "PRAGMA foreign_keys"),
      ]
    }
    #expect(settings == ["wal", "2", "5000", "1"])
    try storage.close()
  }

  @Test func `a database of a newer Rally is left alone`() throws {
    let folder = ServedFolder()
    let path = try DataFolder(path: folder.path).databasePath
    try Storage(path: path).close()
    let queue = try ExistingDatabase.queue(path)
    try queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('of tomorrow')") }
    try queue.close()
    let before = FileManager.default.contents(atPath: path)
    #expect(throws: ExistingDatabase.Failure.newer(path)) { try Storage(path: path) }
    #expect(FileManager.default.contents(atPath: path) == before)
    #expect(throws: ExistingDatabase.Failure.newer(folder.path + "/rally.db")) {
      try DatabaseCheck.problems(in: folder.path)
    }
  }

  @Test func `the feed is trimmed by age`() async throws {
    let storage = try Storage(path: nil)
    let now = WireTime.now
    let sequences = try await storage.write { database in
      try ChangeLog.append(
        .insert, in: .friendships, key: "old", at: now.advanced(by: .seconds(-700)),
        to: database)
      try ChangeLog.append(.insert, in: .friendships, key: "new", at: now, to: database)
      let isMore = try ChangeLog.trim(
        before: now.advanced(by: .zero - ChangeLog.retention), limit: 10, in: database)
      #expect(!isMore)
      return (
        try ChangeLog.entries(after: .beginning, limit: 10, from: database).map(\.key),
        try ChangeLog.lastPosition(from: database).sequence
      )
    }
    #expect(sequences == (["new"], 2))
  }
}
