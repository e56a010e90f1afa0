import RallyClient
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem

/// What the key that copies gives on each screen.
@Suite struct CopyingTests {
  @Test func `a friend's username is copied, and on the map where they are`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      ana.screen.press("y")
      await ana.screen.waitFor("Copied @bob.")
      #expect(ana.screen.terminal.clipboard == "@bob")

      try await bob.share(.precise)
      try await bob.stand(at: 48.8606, 2.3376)
      ana.screen.press("1")
      await ana.screen.waitFor("●bob")
      ana.screen.press("y")
      await ana.screen.waitFor("selects a pin first.")
      ana.screen.press("Tab y")
      await ana.screen.waitFor("Copied 48.8606, 2.3376, where @bob is.")
      #expect(ana.screen.terminal.clipboard == "48.8606, 2.3376")
      try await bob.stand(at: 41.85, 12.56)
      ana.screen.press("z")
      await ana.screen.waitFor("41.8500, 12.5600")
      ana.screen.press("y")
      #expect(ana.screen.terminal.clipboard == "41.8500, 12.5600")
    }
  }

  @Test func `a mission's place is copied, and the code that brings others into it`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 y")
      await ana.screen.waitFor("No mission is selected.")
      _ = try await ana.makeMission(visibility: .invited)
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("y")
      await ana.screen.waitFor("Copied 38.7223, -9.1393, where Lanterns is.")
      #expect(ana.screen.terminal.clipboard == "38.7223, -9.1393")

      ana.screen.press("i y")
      await ana.screen.waitFor("There is no code yet: c makes one.")
      ana.screen.press("c")
      await ana.screen.waitFor("Lets one person join the mission")
      ana.screen.press("y")
      await ana.screen.waitFor("Copied the link.")
      let code = try #require(
        try await ana.session.services.invitationsService.fetchInvitations().first?.code)
      let link = InvitationLink(code: code, from: ana.session.services.server)
      #expect(ana.screen.terminal.clipboard == link.description)
    }
  }

  @Test func `the link of the selected code is copied`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let first = try await ana.session.services.invitationsService.createInvitation().code
      let second = try await ana.session.services.invitationsService.createInvitation().code
      ana.screen.press("i")
      await ana.screen.waitFor(first.description)
      for code in [second, first] {
        ana.screen.press("y")
        let link = InvitationLink(code: code, from: ana.session.services.server)
        #expect(ana.screen.terminal.clipboard == link.description)
        ana.screen.press("j")
      }
    }
  }

  @Test func `the details of the last failure are copied from what was said`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      ana.gate.fail("remove_friend", with: .http(status: 500))
      ana.screen.press("x y")
      await ana.screen.waitFor("! ")
      ana.screen.type(":messages")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Messages")
      ana.screen.press("y")
      await ana.screen.waitFor("Copied the details of the failure.")
      let copied = try #require(ana.screen.terminal.clipboard)
      #expect(copied.contains("\nSource: "))
      #expect(copied.contains("\nError: "))

      // The newest message is the one that says so.
      ana.screen.press("j y")
      #expect(ana.screen.terminal.clipboard == "Copied the details of the failure.")
      await bob.close()
    }
  }

  @Test(arguments: ["", "1", "2", "g s", "g m"])
  func `while a failure is shown its details are copied, on every tab and in every sheet`(
    _ keys: String
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      ana.gate.fail("remove_friend", with: .http(status: 500))
      ana.screen.press("x y")
      await ana.screen.waitFor(" ! ")
      if !keys.isEmpty { ana.screen.press(keys) }
      await ana.screen.waitUntilIdle()
      ana.screen.press("y")
      await ana.screen.waitFor("Copied the details of the failure.")
      let copied = try #require(ana.screen.terminal.clipboard)
      #expect(copied.contains("\nError: "))
      #expect(copied.contains("\nRally \(RallyVersion.current), "))
      await ana.close()
      await bob.close()
    }
  }
}
