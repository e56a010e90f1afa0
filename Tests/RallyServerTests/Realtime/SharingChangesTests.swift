import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer

@Suite(.everyEngine, .acrossNodes) struct SharingChangesTests {
  private func probe(of person: Person, on server: TestServer) async throws -> RealtimeProbe {
    let probe = try await RealtimeProbe.connect(server)
    try await probe.listen(token: person.session.accessToken, table: "location_sharing")
    return probe
  }

  private func next(_ probe: RealtimeProbe) async throws -> JSONValue {
    try await probe.next(.postgresChanges)["payload"]?["data"] ?? .null
  }

  @Test func `the owner of a decision hears of it, and nobody else does`() async throws {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      let mine = try await probe(of: ana, on: server)
      let others = try await probe(of: ben, on: server)
      try await ana.share(.approximate10km)
      let first = try await next(mine)
      #expect(first["type"] == "INSERT")
      #expect(first["table"] == "location_sharing")
      #expect(
        first["record"] == [
          "user_id": .string(ana.wireID), "friend_id": .null, "mode": "approximate_10km",
          "until": .null,
        ])
      try await ana.share(.precise, with: ben)
      #expect(try await next(mine)["record"]?["friend_id"] == .string(ben.wireID))
      try await ana.share(.off, with: ben)
      let third = try await next(mine)
      #expect(third["type"] == "UPDATE")
      #expect(third["record"]?["mode"] == "off")
      #expect(
        third["old_record"] == [
          "user_id": .string(ana.wireID), "friend_id": .string(ben.wireID),
        ])
      #expect(try await others.drain().isEmpty)
      try await mine.close()
      try await others.close()
    }
  }

  @Test func `a decision that ends with a friendship is a delete for its owner alone`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Person.signUp("ana", on: server)
      let ben = try await Person.signUp("ben", on: server)
      try await ana.befriend(ben)
      try await ana.share(.precise, with: ben)
      let mine = try await probe(of: ana, on: server)
      let others = try await probe(of: ben, on: server)
      _ = try await ana.result(of: RemoveFriend(userID: ben.id))
      var event = try await next(mine)
      // A change just before the subscription may still be announced.
      if event["type"] == "INSERT" { event = try await next(mine) }
      #expect(event["type"] == "DELETE")
      #expect(
        event["old_record"] == [
          "user_id": .string(ana.wireID), "friend_id": .string(ben.wireID),
        ])
      #expect(try await others.drain().isEmpty)
      try await mine.close()
      try await others.close()
    }
  }
}
