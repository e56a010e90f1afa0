import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// What stays true while connections between servers and their database break.
@Suite struct ClusterFaultTests {
  @Test func `a change whose commit was not answered has its effect once, wherever it is repeated`()
    async throws
  {
    try await FaultyCluster.with(2) { cluster in
      let ana = try await Person.signUp("ana", on: cluster.nodes[0])
      let there = cluster.client(of: ana, at: 1)
      let call = FunctionCall(UpdateProfile(bio: "new"), clientID: UUID())
      cluster.proxies[0].loseCommit(of: "SERIALIZABLE")
      let reply = try await ana.client.call(call)
      #expect(reply.status == 503)
      #expect(reply.json["code"] == "PGRST001")
      #expect(cluster.proxies[0].lostCommits == 1)
      // It was stored though nobody was told.
      #expect(try await there.result(of: FetchProfiles(userIDs: [ana.id])).first?.version == 2)
      for client in [there, ana.client] {
        #expect(try await client.result(of: call).version == 2)
      }
    }
  }

  @Test func `a server that was cut off tells its sockets everything from its place, in order`()
    async throws
  {
    try await FaultyCluster.with(2) { cluster in
      let ben = try await Person.signUp("ben", on: cluster.nodes[1])
      var others: [Person] = []
      for number in 0..<6 {
        others.append(try await Person.signUp("person\(number)", on: cluster.nodes[0]))
      }
      let probe = try await RealtimeProbe.connect(cluster.nodes[1])
      try await probe.listen(token: ben.session.accessToken)
      cluster.proxies[1].begin(.away)
      for other in others { _ = try await other.result(of: RequestFriend(userID: ben.id)) }
      // The feed has met the lost database before it is back.
      #expect(try await ben.client.call(FetchFriends()).status == 503)
      #expect(try await probe.drain().isEmpty)
      cluster.proxies[1].heal()
      for other in others {
        let record = try await probe.next(.postgresChanges)["payload"]?["data"]?["record"]
        #expect(record?["requester_id"] == .string(other.wireID))
      }
      #expect(try await probe.drain().isEmpty)
      try await probe.close()
    }
  }

  @Test func `a running server goes on beside a newer one that added columns and tables`()
    async throws
  {
    let address = try PostgresFixture.shared.get().database()
    let server = try await TestServer.start { $0.database = .postgres(address, folder: nil) }
    let ana = try await Person.signUp("ana", on: server)
    let ben = try await Person.signUp("ben", on: server)
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: ben.session.accessToken)
    func use() async throws {
      _ = try await ana.result(of: RequestFriend(userID: ben.id))
      #expect(try await probe.next(.postgresChanges)["payload"]?["data"]?["type"] == "INSERT")
      _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: false))
      _ = try await probe.next(.postgresChanges)
      _ = try await ana.result(of: CreateMission.sample("Tiles"))
      #expect(try await ana.client.send(.GET, "/rest/v1/missions").status == 200)
      #expect(try await ana.client.send(.GET, "/rest/v1/profiles").status == 200)
    }
    try await use()
    // What a migration of the next release may do: add.
    let newer = Storage(try await PostgresEngine(address, connections: 1, migrates: false))
    try await newer.write { database in
      for table in ["friendships", "missions", "profiles", "users", "sessions", "changes"] {
        try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN tomorrow TEXT")
        try database.execute(sql: "ALTER TABLE \(table) ADD COLUMN count BIGINT NOT NULL DEFAULT 0")
      }
      try database.execute(sql: "CREATE TABLE tomorrow (n BIGINT)")
      try database.execute(
        sql: "INSERT INTO migrations (name, at) VALUES (?, ?)", arguments: ["of tomorrow", 1])
    }
    try newer.close()
    try await use()
    try await probe.close()
    try await server.stop()
    // It does not start again.
    await #expect(throws: StorageFailure.self) {
      _ = try await PostgresEngine(address, connections: 1)
    }
  }
}
