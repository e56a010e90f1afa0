import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@Suite struct PrivacyServiceTests {
  @Test func `rules are kept with the account until they are kept no more`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = PrivacyService(client: ana.client)
      #expect(try await service.fetchRules() == nil)
      let rules = PrivacyRules()
      try await service.setRules(rules)
      #expect(try await service.fetchRules() == rules)
      try await service.setRules(nil)
      #expect(try await service.fetchRules() == nil)
    }
  }

  @Test func `a server that does not answer is an error, not the absence of rules`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.fail("fetch_privacy_rules", with: .connectionLost)
      await #expect(throws: NetworkError.self) {
        try await PrivacyService(client: ana.client).fetchRules()
      }
    }
  }
}
