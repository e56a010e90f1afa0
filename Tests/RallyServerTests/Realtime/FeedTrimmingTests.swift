import Foundation
import Logging
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// A feed that grew for long, as after days without a server.
@Suite(.everyEngine) struct FeedTrimmingTests {
  private static func fill(_ storage: Storage, _ count: Int) async throws {
    let time = WireTime.now.advanced(by: .seconds(-3600))
    try await storage.write { database in
      try database.execute(
        sql: """
          WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
          INSERT INTO changes (tbl, op, key, audience, at)
          SELECT 'friendships', 'update', CAST(n AS TEXT), NULL, ? FROM numbers
          """, arguments: [count, time])
      try ChangeLog.append(.update, in: .friendships, key: "new", at: .now, to: database)
    }
  }

  private static func entries(_ storage: Storage) async throws -> Int? {
    try await storage.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM changes") }
  }

  @Test func `each turn deletes a batch and asks for the next`() async throws {
    let storage = try await Storage.forTest()
    let wakes = Counter()
    let keys = KeyRing(try ServerKeys())
    let hub = RealtimeHub(
      gateway: Gateway(apiKey: "", signer: TokenSigner(keys: keys)), presentUsers: PresentUsers(),
      budgets: BudgetKeeper(), wake: {})
    let feed = ChangeFeedReader(
      storage: storage, hub: hub, logger: Logger(label: "rally.test"), trimInterval: .zero,
      wake: wakes.increment)
    let batch = ChangeFeedReader.trimBatch
    try await Self.fill(storage, 2 * batch + 500)
    for left in [batch + 501, 501, 1] {
      let before = wakes.value
      try await feed.turn()
      #expect(try await Self.entries(storage) == left)
      #expect(wakes.value == before + (left > 1 ? 1 : 0))
    }
    try storage.close()
  }

  @Test func `a writer is neither kept waiting for all of it nor sent back`() async throws {
    let storage = try await Storage.forTest()
    let batch = ChangeFeedReader.trimBatch
    try await Self.fill(storage, 20 * batch)
    let (tries, batches) = (Counter(), Counter())
    async let trimming: Void = {
      let end = WireTime.now.advanced(by: .seconds(-600))
      var isMore = true
      while isMore {
        isMore = try await storage.count {
          try ChangeLog.trim(before: end, limit: batch, in: $0)
        }
        batches.increment()
      }
    }()
    var between = Set<Int>()
    var writes = 0
    while batches.value < 20 {
      let number = writes
      try await storage.write { database in
        tries.increment()
        _ = try ChangeLog.lastPosition(from: database)
        try ChangeLog.append(.update, in: .friendships, key: "\(number)", at: .now, to: database)
      }
      writes += 1
      between.insert(batches.value)
    }
    try await trimming
    #expect(tries.value == writes)
    // It had its turn between batches, and not only before and after all of them.
    #expect(between.count > 3)
    #expect(try await Self.entries(storage) == writes + 1)
    try storage.close()
  }
}
