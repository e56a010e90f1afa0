import Foundation
import RallyTestSupport
import RallyWire
import Testing

@Suite struct ChangesTests {
  @Test func `the person who is asked hears of the request at once`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = (
        try await Person.signUp("ana", on: server), try await Person.signUp("ben", on: server)
      )
      let probe = try await RealtimeProbe.connect(server)
      try await probe.listen(token: ben.session.accessToken)

      _ = try await ana.result(of: RequestFriend(userID: ben.id))

      let change = try await probe.next(.postgresChanges)
      let data = try #require(change["payload"]?["data"])
      #expect(data["type"] == "INSERT")
      #expect(data["errors"] == .null)
      #expect(data["old_record"] == nil)
      #expect(data["record"]?["requester_id"] == .string(ana.wireID))
      #expect(data["record"]?["accepted_at"] == .null)
      #expect(change.object?.keys.sorted() == ["event", "payload", "ref", "topic"])
      #expect(change["ref"] == .null)
    }
  }
}
