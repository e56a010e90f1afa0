import RallyDomain
import RallyRules
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

/// The interface in front of a server whose budget is spent.
@Suite struct RateLimitJourneyTests {
  @Test func `a change that comes too soon waits, and the screen says how long`() async throws {
    try await TestServer.with(configure: { $0.budgets[.messagesPerMinute] = 3 }) { server in
      let ana = try await Journey.live("ana", on: server)
      let mission = try await ana.makeMission(visibility: .invited)
      let service = ana.session.services.missionsService
      // An account has a third of its budget on the first day: one line.
      _ = try await service.sayInMission(mission.id, text: "first")
      let waiting = Task { try await service.sayInMission(mission.id, text: "second") }
      await ana.screen.waitFor("The server asks to wait; going on in")
      waiting.cancel()
      await ana.close()
    }
  }
}
