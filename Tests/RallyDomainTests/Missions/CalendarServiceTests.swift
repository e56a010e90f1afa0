import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain

@Suite struct CalendarServiceTests {
  @Test func `an address is made, found and revoked, and a repeated call counts once`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = CalendarService(client: ana.client)
      let (making, revoking, secret) = (UUID(), UUID(), AccessSecret.random())
      #expect(try await service.fetchAddress() == nil)
      let made = try await service.makeAddress(secret, clientID: making)
      #expect(try await service.fetchAddress() == made)
      try await service.revokeAddress(clientID: revoking)
      #expect(try await service.fetchAddress() == nil)
      #expect(try await service.makeAddress(secret, clientID: making) == made)
      #expect(try await service.fetchAddress() == nil)
      let next = try await service.makeAddress(.random())
      try await service.revokeAddress(clientID: revoking)
      #expect(try await service.fetchAddress() == next)
    }
  }

  @Test func `a second secret is refused, the same one is not, and revoking needs no address`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = CalendarService(client: ana.client)
      try await service.revokeAddress()
      let secret = AccessSecret.random()
      let made = try await service.makeAddress(secret)
      #expect(await refusal { try await service.makeAddress(.random()) } == .invalidArgument)
      #expect(try await service.makeAddress(secret) == made)
      #expect(try await service.fetchAddress() == made)
    }
  }

  @Test func `a lost answer is asked for again, and a missing network is no missing address`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = CalendarService(client: ana.client)
      ana.gate.loseAnswer("make_calendar_address")
      let made = try await service.makeAddress(.random())
      #expect(try await service.fetchAddress() == made)
      #expect(ana.gate.calls(of: "make_calendar_address") == 2)
      ana.gate.goOffline()
      let error = await #expect(throws: NetworkError.self) { try await service.fetchAddress() }
      #expect(error?.isOffline == true)
    }
  }
}
