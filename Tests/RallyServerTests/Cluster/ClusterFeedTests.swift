import Foundation
import Logging
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// The feed and the relays as several servers read and write them at once.
@Suite struct ClusterFeedTests {
  private static let writers = 8
  private static let writes = 12

  /// Reads changes and relays as a server does, until so many of both came.
  private static func read(_ count: Int, of storage: Storage) async throws -> [[String]] {
    var positions = [ChangePosition.beginning, .beginning]
    var found: [[String]] = [[], []]
    let deadline = ContinuousClock.now + PollingBackoff.limit
    while found.contains(where: { $0.count < count }), ContinuousClock.now < deadline {
      let (changes, relays) = try await storage.read { [positions] database in
        (
          try ChangeLog.entries(after: positions[0], limit: 7, from: database),
          try RelayLog.entries(
            after: positions[1], limit: 7, reader: "reader", from: database)
        )
      }
      positions = [
        changes.last?.position ?? positions[0], relays.last?.position ?? positions[1],
      ]
      found[0] += changes.map(\.key)
      found[1] += relays.map(\.node)
      if changes.isEmpty, relays.isEmpty { await Task.yield() }
    }
    return found
  }

  @Test func `three servers read everything once and in order from writers on three servers`()
    async throws
  {
    let address = try PostgresFixture.shared.get().database()
    var nodes: [Storage] = []
    for _ in 0..<3 {
      nodes.append(Storage(try await PostgresEngine(address, connections: 4)))
    }
    let count = Self.writers * Self.writes
    try await withThrowingTaskGroup(of: [[String]].self) { [nodes] tasks in
      for node in nodes { tasks.addTask { try await Self.read(count, of: node) } }
      try await withThrowingTaskGroup(of: Void.self) { writing in
        for writer in 0..<Self.writers {
          writing.addTask {
            var numbers = SeededGenerator(seed: UInt64(writer))
            for write in 0..<Self.writes {
              let pause = UInt32.random(in: 0...8000, using: &numbers)
              // Each write through another server.
              try await nodes[(writer + write) % nodes.count].write { database in
                let key = "\(writer) \(write)"
                try ChangeLog.append(
                  .update, in: .friendships, key: key, at: .now, to: database)
                try RelayKind.keys.append(of: key, at: .now, to: database)
                usleep(pause)
              }
            }
          }
        }
        try await writing.waitForAll()
      }
      for try await found in tasks {
        for keys in found {
          #expect(Set(keys).count == count && keys.count == count)
          for writer in 0..<Self.writers {
            let own = keys.filter { $0.hasPrefix("\(writer) ") }
            #expect(own == (0..<Self.writes).map { "\(writer) \($0)" })
          }
        }
      }
    }
    for node in nodes { try node.close() }
  }

  @Test func `a hundred commits in a row are told in few notifications, and none is missed`()
    async throws
  {
    let address = try PostgresFixture.shared.get().database()
    let writer = Storage(try await PostgresEngine(address))
    let reader = Storage(try await PostgresEngine(address, connections: 1))
    let notes = Counter()
    reader.onChange { notes.increment() }
    async let found = Self.read(100, of: reader)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for number in 0..<100 {
        tasks.addTask {
          try await writer.write { database in
            try ChangeLog.append(
              .update, in: .friendships, key: "\(number)", at: .now, to: database)
            try RelayKind.keys.append(of: "\(number)", at: .now, to: database)
          }
        }
      }
      try await tasks.waitForAll()
    }
    #expect(try await found.map(\.count) == [100, 100])
    // One for each batch of commits that the listener met, and one a second beside them.
    #expect(notes.value <= 100)
    try writer.close()
    try reader.close()
  }
}
