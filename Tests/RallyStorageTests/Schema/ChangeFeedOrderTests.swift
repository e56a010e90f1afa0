import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyStorage

/// Writers that take their time between their statements and their commits.
@Suite(.everyEngine) struct ChangeFeedOrderTests {
  private static let writers = 8
  private static let writes = 12

  /// Reads the feed as realtime does until so many entries came, or none does any more.
  private static func entries(_ count: Int, of storage: Storage) async throws -> [Change] {
    var position = ChangePosition.beginning
    var found: [Change] = []
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while found.count < count, ContinuousClock.now < deadline {
      let more = try await storage.read { [position] database in
        try ChangeLog.entries(after: position, limit: 7, from: database)
      }
      position = more.last?.position ?? position
      found += more
      if more.isEmpty { await Task.yield() }
    }
    return found
  }

  @Test func `every entry comes once, and those of one write in their order`() async throws {
    let storage = try await Storage.forTest(connections: Self.writers + 1)
    async let read = Self.entries(Self.writers * Self.writes * 2, of: storage)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for writer in 0..<Self.writers {
        tasks.addTask {
          var numbers = SeededGenerator(seed: UInt64(writer))
          for write in 0..<Self.writes {
            let pauses = [0, 1].map { _ in UInt32.random(in: 0...8000, using: &numbers) }
            try await storage.write { database in
              for (part, pause) in pauses.enumerated() {
                try ChangeLog.append(
                  .update, in: .friendships, key: "\(writer) \(write) \(part)", at: .now,
                  to: database)
                usleep(pause)
              }
            }
          }
        }
      }
      try await tasks.waitForAll()
    }
    let keys = try await read.map(\.key)
    #expect(Set(keys).count == keys.count)
    for writer in 0..<Self.writers {
      let own = keys.filter { $0.hasPrefix("\(writer) ") }
      let written = (0..<Self.writes).flatMap { ["\(writer) \($0) 0", "\(writer) \($0) 1"] }
      #expect(own == written)
    }
    // The two of one write stand together.
    for pair in stride(from: 0, to: keys.count, by: 2) {
      #expect(keys[pair].dropLast() == keys[min(pair + 1, keys.count - 1)].dropLast())
    }
  }

  @Test func `changes of one row come in the order in which they were made`() async throws {
    let storage = try await Storage.forTest(connections: Self.writers + 1)
    try await storage.write { database in
      try database.execute(sql: "CREATE TABLE counter (n BIGINT NOT NULL)")
      try database.execute(sql: "INSERT INTO counter VALUES (0)")
      try database.execute(sql: "CREATE TABLE notes (n BIGINT NOT NULL)")
    }
    async let read = Self.entries(Self.writers * Self.writes, of: storage)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for writer in 0..<Self.writers {
        tasks.addTask {
          for write in 0..<Self.writes {
            try await storage.write { database in
              // Before the row is looked at: the transaction has a number already.
              try database.execute(sql: "INSERT INTO notes VALUES (?)", arguments: [write])
              usleep(UInt32((writer * 7 + write * 3) % 5) * 500)
              let number = try Int.fetchOne(database, sql: "SELECT n FROM counter") ?? 0
              try database.execute(
                sql: "UPDATE counter SET n = ?", arguments: [number + 1])
              try ChangeLog.append(
                .update, in: .friendships, key: "\(number + 1)", at: .now, to: database)
            }
          }
        }
      }
      try await tasks.waitForAll()
    }
    let keys = try await read.map(\.key)
    #expect(keys == (1...Self.writers * Self.writes).map(String.init))
  }

  @Test func `who starts late is told nothing of what was before`() async throws {
    let storage = try await Storage.forTest()
    func append(_ key: String) async throws {
      try await storage.write { database in
        try ChangeLog.append(.update, in: .friendships, key: key, at: .now, to: database)
      }
    }
    try await append("before")
    try await storage.feedCatchesUp()
    let start = try await storage.read(ChangeLog.lastPosition)
    try await append("after")
    try await storage.feedCatchesUp()
    let keys = try await storage.read { database in
      try ChangeLog.entries(after: start, limit: 10, from: database).map(\.key)
    }
    #expect(keys == ["after"])
  }
}
