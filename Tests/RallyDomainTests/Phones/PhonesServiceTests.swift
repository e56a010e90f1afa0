import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct PhonesServiceTests {
  @Test func `a phone is added, listed and revoked, each once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = PhonesService(client: ana.client)
      let (id, clientID, secret) = (UUID(), UUID(), AccessSecret.random())
      for _ in 0..<2 {
        let phone = try await service.addPhone(
          app: .owntracks, name: "Pixel", secret: secret, id: id, clientID: clientID)
        #expect(phone.id == id)
      }
      #expect(try await service.fetchPhones().map(\.name) == ["Pixel"])
      try await service.revokePhone(id)
      #expect(try await service.fetchPhones().isEmpty)
    }
  }

  @Test func `a server that is not reached is an error, not the absence of phones`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = PhonesService(client: ana.client)
      ana.gate.goOffline()
      let error = await #expect(throws: NetworkError.self) { try await service.fetchPhones() }
      #expect(error?.isOffline == true)
    }
  }
}
