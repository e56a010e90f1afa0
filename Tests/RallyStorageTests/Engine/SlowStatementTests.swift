import Foundation
import RallyRules
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyStorage

/// A read that takes too long is stopped, and its reader goes on with the next one.
@Suite struct SlowStatementTests {
  /// Counts for ever.
  private static let endless = """
    WITH RECURSIVE n (i) AS (
      SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n)
    SELECT COUNT(*) FROM n
    """

  @Test(.everyEngine) func `an endless statement is stopped and harms nothing`() async throws {
    let storage = try await Storage.forTest(connections: 1)
    for _ in 0..<6 {
      let failure = await #expect(throws: StorageFailure.self) {
        try await storage.read(within: .milliseconds(50)) {
          _ = try Int.fetchOne($0, sql: Self.endless)
        }
      }
      #expect(failure?.kind == .interrupted)
      #expect(failure?.refusal?.status == 503)
    }
    // The readers are well, and the next read has all its time.
    for _ in 0..<6 {
      #expect(try await storage.read { try Int.fetchOne($0, sql: "SELECT 7") } == 7)
      let counted = try await storage.read(within: .seconds(600)) {
        try Int.fetchOne(
          $0, sql: Self.endless.replacing("FROM n)", with: "FROM n WHERE i < 20000)"))
      }
      #expect(counted == 20_000)
    }
    try storage.close()
  }

  @Test func `somebody whose read takes too long hears it in a sentence`() async throws {
    try await TestServer.with(configure: { $0.budgets[.readMilliseconds] = 1 }) { server in
      let ana = try await Person.signUp("ana", on: server)
      let reply = try await ana.client.call(
        FetchProfiles(userIDs: (0..<500).map { _ in UUID() }))
      #expect(reply.status == 503)
      #expect(reply.json["code"] == "57014")
      #expect(reply.json["message"]?.string?.hasPrefix("This took the server too long") == true)
    }
  }
}
