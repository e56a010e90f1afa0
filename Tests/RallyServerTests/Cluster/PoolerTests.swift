import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage

/// Servers behind PgBouncer.
@Suite struct PoolerTests {
  @Test func `a pooler of transactions is refused with what to set`() async throws {
    try await PostgresFixture.shared.get().withPooler(mode: "transaction") { address in
      let failure = await #expect(throws: StorageFailure.self) {
        _ = try await PostgresEngine(address, connections: 1)
      }
      #expect(failure?.kind == .other)
      #expect(failure?.message.contains("pool_mode = session") == true)
    }
  }

  @Test func `servers work through a pooler, and what one writes is heard on the other`()
    async throws
  {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    try await PostgresFixture.shared.get().withPooler { address in
      var nodes: [TestServer] = []
      for _ in 0..<2 {
        nodes.append(
          try await TestServer.start {
            $0.database = .postgres(address, folder: nil)
            $0.encryptionKey = folder.file("encryption.key")
          })
      }
      let ana = try await Person.signUp("ana", on: nodes[0])
      let ben = try await Person.signUp("ben", on: nodes[1])
      let probe = try await RealtimeProbe.connect(nodes[1])
      try await probe.listen(token: ben.session.accessToken)
      // Each call, and each of its statements, a few times, on every connection of the pool.
      for _ in 0..<20 {
        _ = try await ana.result(of: RequestFriend(userID: ben.id))
        #expect(try await probe.next(.postgresChanges)["payload"]?["data"]?["type"] == "INSERT")
        _ = try await ben.result(of: RespondToFriendRequest(userID: ana.id, accept: true))
        #expect(try await probe.next(.postgresChanges)["payload"]?["data"]?["type"] == "UPDATE")
        #expect(try await ben.result(of: FetchFriends()).map(\.username) == ["ana"])
        _ = try await ana.result(of: RemoveFriend(userID: ben.id))
        #expect(try await probe.next(.postgresChanges)["payload"]?["data"]?["type"] == "DELETE")
      }
      try await probe.close()
      for node in nodes { try await node.stop() }
    }
  }
}
