import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Two servers on one PostgreSQL database.
@Suite struct SeveralServersTests {
  @Test func `what is done on one reaches the sockets of the other`() async throws {
    try await ServerPair.with { pair in
      let (one, other) = (pair.one, pair.other)
      let ana = try await Person.signUp("ana", on: one)
      let ben = try await Person.signUp("ben", on: other)
      let probe = try await RealtimeProbe.connect(other)
      try await probe.listen(token: ben.session.accessToken)
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      let change = try await probe.next(.postgresChanges)
      #expect(change["payload"]?["data"]?["type"] == "INSERT")
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
      #expect(try await ana.result(of: FetchFriends()).map(\.username) == ["ben"])
      try await probe.close()
    }
  }

  @Test func `what an operator does beside them is heard at once`() async throws {
    let address = try PostgresFixture.shared.get().database()
    await #expect(throws: StorageFailure.self) {
      _ = try await AccountAdministration(
        .postgres(address, folder: nil))
    }
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: ana.session.accessToken)
    let administration = try await AccountAdministration(
      .postgres(address, folder: nil))
    #expect(try await administration.accounts().map(\.username) == ["ana"])
    #expect(try await administration.disable("ana").isDisabled)
    try administration.close()
    _ = try await probe.next(.close)
    #expect(try await ana.client.call(FetchFriends()).status != 200)
    try await probe.close()
    try await server.stop()
  }

  @Test func `a database that is away is said so, and nothing else is wrong once it is back`()
    async throws
  {
    let postgres = try PostgresFixture.shared.get()
    let address = try postgres.database(role: "visitor")
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    let probe = try await RealtimeProbe.connect(server)
    try postgres.execute("ALTER ROLE visitor NOLOGIN")
    try postgres.execute(
      "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'visitor'")
    let refused = try await ana.client.call(FetchFriends())
    #expect(refused.status == 503)
    #expect(refused.json["code"] == "PGRST001")
    #expect(refused.json["message"]?.string?.contains("visitor") == false)
    #expect(try await ana.client.send(.GET, "/auth/v1/user").status == 503)
    async let joined = probe.join("realtime:later", token: ana.session.accessToken)
    // The feed has met the lost database once before it is back.
    _ = try await probe.drain()
    #expect(try await ana.client.call(FetchFriends()).status == 503)
    let stranger = RawClient(url: server.url, key: "")
    let health = try await stranger.send(.GET, "/health")
    #expect(health.status == 503)
    #expect(health.json == ["status": "no database"])
    #expect(try await stranger.send(.GET, "/health/alive").status == 200)
    try postgres.execute("ALTER ROLE visitor LOGIN")
    #expect(try await stranger.send(.GET, "/health").status == 200)
    #expect(try await ana.result(of: FetchFriends()).isEmpty)
    #expect(try await joined["payload"]?["status"] == "ok")
    try await probe.close()
    try await server.stop()
  }

  @Test func `who signs out on one is cut off on the other`() async throws {
    try await ServerPair.with { pair in
      let (one, other) = (pair.one, pair.other)
      let ana = try await Person.signUp("ana", on: one)
      let probe = try await RealtimeProbe.connect(other)
      try await probe.listen(token: ana.session.accessToken)
      #expect(try await ana.client.send(.POST, "/auth/v1/logout").status == 204)
      var client = RawClient(other)
      client.token = ana.session.accessToken
      #expect(try await client.call(FetchFriends()).status == 401)
      _ = try await probe.next(.close)
      try await probe.close()
    }
  }

  @Test func `one client id on both at once has one effect`() async throws {
    try await ServerPair.with { pair in
      let (one, other) = (pair.one, pair.other)
      let ana = try await Person.signUp("ana", on: one)
      var elsewhere = RawClient(other)
      elsewhere.token = ana.session.accessToken
      for round in 1...10 {
        let call = FunctionCall(UpdateProfile(bio: "round \(round)"), clientID: UUID())
        let versions = try await withThrowingTaskGroup(of: Int64.self) { [elsewhere] tasks in
          for number in 0..<6 {
            let client = number.isMultiple(of: 2) ? elsewhere : ana.client
            tasks.addTask { try await client.result(of: call).version }
          }
          return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(versions == [Int64(round + 1)])
      }
    }
  }
}
