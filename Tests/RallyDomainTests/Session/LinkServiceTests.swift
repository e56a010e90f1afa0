import RallyTestSupport
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct LinkServiceTests {
  @Test func `the link is live, is retried at once when asked, and ends with the session`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let service = LinkService(client: ana.client)
      #expect(service.state == .signedOut)
      let events = try await ana.friendsRealtimeService.listen()
      let following = Task { await service.follow() }
      #expect(await eventually { service.state == .live })
      ana.gate.goOffline()
      ana.gate.breakSockets()
      #expect(await eventually { service.state != .live })
      ana.gate.goOffline(false)
      await service.retryNow()
      #expect(await eventually { service.state == .live })
      try await ana.authService.signOut()
      #expect(await eventually { service.state == .signedOut })
      following.cancel()
      withExtendedLifetime(events) {}
      await ana.client.realtime?.stop()
    }
  }

  @Test func `without a server there is no link to follow`() async {
    let service = LinkService(client: SupabaseClient())
    await service.follow()
    await service.retryNow()
    #expect(service.state == .signedOut)
  }
}
