import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyTUI

@Suite struct TextOnlyViewTests {
  @Test func `bare text is the pane alone, without frames and mouse, and Esc brings all back`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let terminal = ana.screen.terminal
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitFor("Requests for you (1)")
      ana.screen.press("Esc m")
      await ana.screen.waitUntil { terminal.isMouseOn }
      ana.screen.press("b")
      await ana.screen.waitFor("Bare text")
      let bare = ana.screen.picture
      #expect(!terminal.isMouseOn)
      #expect(bare.contains { $0.hasPrefix("Bob @bob, wants to be friends") })
      #expect(!bare.contains { $0.contains("RALLY") || $0.contains("│") || $0.contains("─") })
      #expect(bare.filter { !$0.isEmpty }.count == 4, "\(ana.screen.text)")
      // It is alive: what is selected moves and what comes is shown.
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await cleo.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitFor("Cleo @cleo, wants to be friends")
      try await cleo.friendsService.cancelFriendRequest(userID: ana.userID())

      ana.screen.press("Esc")
      await ana.screen.waitUntil { terminal.isMouseOn && ana.screen.contains("RALLY") }
      ana.screen.press("Esc")
      await ana.screen.waitFor("▸ ? Bob")
      #expect(ana.screen.contains("│ @bob"))
      await ana.close()
    }
  }

  @Test func `a sheet is bare as well, and its first Esc leaves it`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("g s")
      await ana.screen.waitFor("╭─ Settings")
      ana.screen.press("b")
      await ana.screen.waitFor("Bare text")
      #expect(ana.screen.contains("Settings"))
      #expect(!ana.screen.contains("╭"))
      ana.screen.press("b")
      await ana.screen.waitFor("╭─ Settings")
      await ana.close()
    }
  }
}
