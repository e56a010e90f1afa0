import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct InvitationsServiceTests {
  @Test func `a code is made, read, accepted, and tells who came by it`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let (one, other) = (
        InvitationsService(client: ana.client), InvitationsService(client: ben.client)
      )
      let made = try await one.createInvitation()
      #expect(try await one.fetchInvitations().map(\.code) == [made.code])
      #expect(try await other.fetchInvitation(made.code).inviter.username == "ana")
      #expect(try await other.acceptInvitation(made.code).friend?.username == "ana")
      #expect(try await one.fetchGuests(among: ["ben", "carla"]) == ["ben"])
      #expect(try await one.fetchInvitations().isEmpty)
      #expect(await one.fetchSettings() != nil)
    }
  }

  @Test func `a code that was revoked gives nothing, and silence is no setting`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let (one, other) = (
        InvitationsService(client: ana.client), InvitationsService(client: ben.client)
      )
      let made = try await one.createInvitation()
      try await one.revokeInvitation(made.code)
      #expect(await refusal { _ = try await other.acceptInvitation(made.code) } != nil)
      ana.gate.goOffline()
      #expect(await one.fetchSettings() == nil)
    }
  }
}
