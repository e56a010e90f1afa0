import RallyServer
import RallyTestSupport
import Testing

/// The interface in front of a server whose budget is spent.
@Suite @MainActor struct RateLimitJourneyTests {
  @Test func `a change that comes too soon waits, and the screen says how long`() async throws {
    try await TestServer.with(configure: { $0.budgets[.messagesPerMinute] = 3 }) { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .invited)
      ana.screen.press("2 Enter s")
      // An account has a third of its budget on the first day: one line.
      for line in ["first", "second"] {
        ana.screen.type(line)
        await ana.screen.waitFor("> \(line)")
        ana.screen.press("Enter")
      }
      await ana.screen.waitFor("The server asks to wait; going on in")
      await ana.close()
    }
  }
}
