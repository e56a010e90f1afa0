import Foundation
import RallyDomain
import RallyServer
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient
@testable import RallySystem
@testable import RallyTUI

/// Links to watch, by what is typed and what the screen says.
@Suite struct WatchJourneyTests {
  private func command(_ journey: Journey, _ text: String) {
    journey.screen.type(text)
    journey.screen.press("Enter")
  }

  @Test func `a link is made, fed, listed in the status and ended by keys`() async throws {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      server in
      // given
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 30))
      command(ana, ":here Lisbon")
      await ana.screen.waitFor("You are at Lisbon")
      // when
      command(ana, ":link 1h")
      // then: the address is there, the status says it first, and something was sent
      await ana.screen.waitFor("https://rally.example.test/w#")
      await ana.screen.waitFor("Whoever has the link sees where you are (precisely) until")
      await ana.screen.waitFor("a link until")
      await ana.screen.waitUntil { ana.gate.calls(of: "feed_watch_link") == 1 }
      // when
      ana.screen.press("x")
      // then
      await ana.screen.waitFor("it shows nothing any more")
      await ana.screen.waitUntil { !ana.screen.contains("a link until") }
      let links = try await WatchService(client: ana.session.services.client).fetchLinks()
      #expect(links.isEmpty)
      await ana.close()
    }
  }

  @Test func `of a link made by somebody who is nowhere it is said that it will show them`()
    async throws
  {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 30))
      command(ana, ":link 1h area")
      await ana.screen.waitFor("Whoever has the link will see where you are (about 1 km) until")
      await ana.screen.waitFor("once you say where you are")
      await ana.close()
    }
  }

  @Test func `a link that has not ended is said once, and stays in the list`() async throws {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 30))
      command(ana, ":link 1h")
      await ana.screen.waitFor("https://rally.example.test/w#")
      ana.gate.fail("end_watch_links", with: .connectionLost)
      ana.screen.press("x")
      await ana.screen.waitFor("The link has not ended")
      let said = ana.interface.toasts.history.filter { $0.text.contains("The link has not ended") }
      #expect(said.count == 1)
      #expect(ana.screen.contains("https://rally.example.test/w#"))
      await ana.close()
    }
  }

  @Test func `without https a sentence says why there is none`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 120, height: 30))
      command(ana, ":link 1h area")
      await ana.screen.waitFor("Links to watch need https")
      #expect(ana.gate.calls(of: "make_watch_link") == 0)
      await ana.close()
    }
  }
}
