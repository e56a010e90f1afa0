import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// The lease of a server on a shared database.
@Suite struct NodeLinkTests {
  /// Has the database run statements of PL/pgSQL before it stores a lease.
  private static func run(
    _ statements: String, beforeEachLeaseOn storage: Storage
  ) async throws {
    try await storage.write { database in
      try database.execute(sql: "CREATE SEQUENCE tries")
      try database.execute(
        sql: """
          CREATE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM nextval('tries'); \(statements); RETURN NEW; END $$
          """)
      try database.execute(
        sql: """
          CREATE TRIGGER meddle BEFORE INSERT OR UPDATE ON nodes
          FOR EACH ROW EXECUTE FUNCTION meddle()
          """)
    }
  }

  private static func tries(on storage: Storage) async throws -> Int {
    try await storage.read {
      try Int.fetchOne($0, sql: "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM tries")
        ?? 0
    }
  }

  @Test func `a lease that ended while the database stored it is taken again`() async throws {
    let storage = Storage(try await PostgresEngine(PostgresFixture.shared.get().database()))
    try await Self.run("PERFORM pg_sleep(0.2)", beforeEachLeaseOn: storage)
    let link = NodeLink(storage: storage, lease: .milliseconds(100), wake: {})
    let hub = RealtimeHub(
      gateway: Gateway(apiKey: "", signer: TokenSigner(keys: KeyRing(try ServerKeys()))),
      presentUsers: PresentUsers(), budgets: BudgetKeeper(), node: link.id, wake: {})
    try await link.hold(for: hub)
    #expect(try await storage.read { try NodeRecords.ended(in: $0) } == [link.id])
    let before = try await Self.tries(on: storage)
    try await link.hold(for: hub)
    #expect(try await Self.tries(on: storage) > before)
    try storage.close()
  }

  @Test func `a lease from before the database's clock was put back has ended`() async throws {
    let storage = Storage(try await PostgresEngine(PostgresFixture.shared.get().database()))
    try await storage.write { database in
      try NodeRecords.register("of now", for: .seconds(30), in: database)
      try NodeRecords.register("of a later clock", for: .seconds(5 * 3600), in: database)
    }
    #expect(try await storage.read { try NodeRecords.ended(in: $0) } == ["of a later clock"])
    try storage.close()
  }

  @Test func `a bucket from before the database's clock was put back fills up again`() async throws
  {
    let storage = Storage(try await PostgresEngine(PostgresFixture.shared.get().database()))
    let request = BucketRequest(
      name: .writes(.missionsPerMinute, "ana"), budget: .missionsPerMinute, size: 60, period: 60)
    @Sendable func moved(by seconds: Int) async throws -> TokenBucket {
      try await storage.count { database in
        try database.execute(
          sql: "UPDATE buckets SET filled_at = filled_at + CAST(? AS BIGINT)",
          arguments: [seconds * 1_000_000])
        return try BucketRecords.locked("ana", for: request, in: database)
      }
    }
    try await storage.count { database in
      var bucket = try BucketRecords.locked("ana", for: request, in: database)
      bucket.tokens = 0
      try BucketRecords.save(bucket, as: "ana", in: database)
    }
    #expect(try await moved(by: 5 * 3600).tokens < 1)
    // Ten seconds later, and not five hours.
    #expect(try await moved(by: -10).tokens >= 10)
    try storage.close()
  }

  /// Runs a test beside a server on a database that refuses leases with this code.
  private static func refusingLeases(
    with code: String, _ test: (RealtimeProbe, _ token: String, Storage) async throws -> Void
  ) async throws {
    let address = try PostgresFixture.shared.get().database()
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    let storage = Storage(try await PostgresEngine(address, connections: 1))
    try await run("RAISE EXCEPTION 'no' USING ERRCODE = '\(code)'", beforeEachLeaseOn: storage)
    let probe = try await RealtimeProbe.connect(server)
    try await test(probe, ana.session.accessToken, storage)
    try await probe.close()
    try storage.close()
    try await server.stop()
  }

  @Test func `a join waits for the lease while the database is in trouble`() async throws {
    let queryCanceled = "57014"
    try await Self.refusingLeases(with: queryCanceled) { probe, token, storage in
      let ref = try await probe.pushJoin("realtime:room", token: token)
      try await eventually("the lease is asked for again") {
        try await Self.tries(on: storage) > 1
      }
      #expect(try await probe.drain().isEmpty)
      try await storage.write { try $0.execute(sql: "DROP TRIGGER meddle ON nodes") }
      #expect(try await probe.next(.reply, ref: ref)["payload"]?["status"] == "ok")
    }
  }

  @Test func `a join is answered while the database has no room for a lease`() async throws {
    let diskFull = "53100"
    try await Self.refusingLeases(with: diskFull) { probe, token, storage in
      let reply = try await probe.join("realtime:room", token: token)
      #expect(reply["payload"]?["status"] == "ok")
      #expect(try await Self.tries(on: storage) > 0)
    }
  }
}
