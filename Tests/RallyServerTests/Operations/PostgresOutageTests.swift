import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// A database that answers and does less than it should.
@Suite struct PostgresOutageTests {
  /// A server with a role of its own.
  private func withServer(
    _ body: (TestServer, Person, _ role: String, PostgresFixture) async throws -> Void
  ) async throws {
    let postgres = try PostgresFixture.shared.get()
    let role = "outage_\(UUID().uuidString.prefix(8).lowercased())"
    let address = try postgres.database(role: role)
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    try await body(server, ana, role, postgres)
    try await server.stop()
  }

  /// Has the role's sessions begin anew.
  private func endSessions(of role: String, _ postgres: PostgresFixture) throws {
    try postgres.execute(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = '\(role)'")
  }

  @Test func `a read-only database is read, and changes are refused until it is over`()
    async throws
  {
    try await withServer { server, ana, role, postgres in
      let health = RawClient(server)
      #expect(try await health.send(.GET, "/health").json["status"] == "ready")
      try postgres.execute("ALTER ROLE \(role) SET default_transaction_read_only = on")
      try endSessions(of: role, postgres)

      let refused = try await ana.client.call(UpdateProfile(displayName: "Anna"))
      #expect(refused.status == 503)
      #expect(refused.json["code"] == "25006")
      let signUp = try await RawClient(server).send(
        .POST, "/auth/v1/signup",
        ["email": "ben@example.org", "password": .string(Person.password)])
      #expect(signUp.status == 503)
      #expect(try await ana.client.call(FetchFriends()).status == 200)
      let state = try await health.send(.GET, "/health")
      #expect(state.status == 503)
      #expect(state.json["status"] == "read-only database")

      try postgres.execute("ALTER ROLE \(role) RESET default_transaction_read_only")
      #expect(try await ana.client.call(UpdateProfile(displayName: "Anna")).status == 200)
      try endSessions(of: role, postgres)
      #expect(try await health.send(.GET, "/health").status == 200)
    }
  }

  @Test func `of several hosts the one that can be changed is taken`() async throws {
    let postgres = try PostgresFixture.shared.get()
    let address = try postgres.database(role: "hosts_\(UUID().uuidString.prefix(8).lowercased())")
    // The first of them is nowhere.
    let text = address.description.replacingOccurrences(of: "@", with: "@%2Ftmp%2Fnowhere,")
    let engine = try await PostgresEngine(try PostgresAddress(text), connections: 1)
    #expect(try await engine.read(within: nil) { try $0.isReadOnly() } == false)
    try engine.close()
  }

  @Test func `with few connections everything is done, and without any the reason is said`()
    async throws
  {
    try await withServer { _, ana, role, postgres in
      let schema = try postgres.execute(
        "SELECT nspname FROM pg_namespace JOIN pg_class c ON c.relnamespace = pg_namespace.oid"
          + " JOIN pg_roles r ON r.oid = c.relowner"
          + " WHERE r.rolname = '\(role)' AND nspname LIKE 'test%' LIMIT 1")
      try postgres.execute("GRANT ALL ON SCHEMA \(schema ?? "") TO \(role)")
      try postgres.execute("ALTER ROLE \(role) NOSUPERUSER CONNECTION LIMIT 2")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for _ in 0..<24 { tasks.addTask { try await ana.client.call(FetchFriends()).status } }
        return try await tasks.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(statuses == [200])

      try postgres.execute("ALTER ROLE \(role) CONNECTION LIMIT 0")
      try endSessions(of: role, postgres)
      let refused = try await ana.client.call(FetchFriends())
      #expect(refused.status == 503)
      #expect(refused.json["code"] == "53300")

      try postgres.execute("ALTER ROLE \(role) CONNECTION LIMIT -1")
      #expect(try await ana.client.call(FetchFriends()).status == 200)
    }
  }
}
