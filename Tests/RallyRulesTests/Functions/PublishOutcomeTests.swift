import Foundation
import NIOHTTP1
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

/// What a device is told of the position that it has sent.
@Suite struct PublishOutcomeTests {
  private func publish(
    _ person: Person, at time: WireTime, headers: [String: String] = [:]
  ) async throws -> RawClient.Reply {
    try await person.client.send(
      .POST, "/rest/v1/rpc/publish_locations",
      data: WireJSON.encode(
        PublishLocations(locations: [
          LocationReport(coordinate: .lisbon, recordedAt: time, source: "manual")
        ])), headers: headers)
  }

  @Test func `a device that asks is told whether its position counts, and another one is not`()
    async throws
  {
    try await TestServer.with { server in
      let (mara, nils) = (
        try await Person.signUp("mara", on: server), try await Person.signUp("nils", on: server)
      )
      try await mara.befriend(nils)
      let asking = ["Prefer": PublishOutcome.preference]
      func outcome(_ time: WireTime) async throws -> PublishOutcome {
        let reply = try await publish(mara, at: time, headers: asking)
        #expect(reply.status == 200)
        return try reply.decoded(PublishOutcome.self)
      }
      #expect(try await outcome(.now) == .unseen)
      _ = try await mara.result(of: SetLocationSharing(userID: nil, mode: .precise))
      #expect(try await outcome(.now) == .taken)
      #expect(try await outcome(.now.advanced(by: .seconds(-1800))) == .outdated)
      let plain = try await publish(mara, at: .now)
      #expect(plain.status == 204 && plain.body.isEmpty)
    }
  }
}
