import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

@Suite struct ServerHealthServiceTests {
  @Test func `a server says that it is there, what it is and who may sign up`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = ServerHealthService(client: ana.client)
      try await service.checkServer()
      #expect(try await service.examineServer().version != nil)
      #expect(try await service.fetchSettings().signUp == .open)
    }
  }

  @Test func `a server that is not there is an error, not a silence`() async throws {
    await #expect(throws: NetworkError.notConfigured) {
      try await ServerHealthService(client: SupabaseClient()).checkServer()
    }
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      ana.gate.goOffline()
      let service = ServerHealthService(client: ana.client)
      let error = await #expect(throws: NetworkError.self) { try await service.examineServer() }
      #expect(error?.isOffline == true)
    }
  }
}
