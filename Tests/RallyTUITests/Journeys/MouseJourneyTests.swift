import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

/// What can be done without the keyboard.
@Suite struct MouseJourneyTests {
  @Test func `tabs, sections, hints and buttons can be clicked`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)
      try await ana.friendsService.requestFriend(userID: bob.userID())
      let screen = bob.screen
      await screen.waitFor("Requests for you (1)")

      screen.click("2 Missions")
      await screen.waitFor("You are in no mission yet")
      screen.click("Nearby")
      await screen.waitUntil { !screen.contains("You are in no mission yet") }
      screen.click("3 Friends")
      await screen.waitFor("Ana Pereira")

      // The footer's hint does what its key does.
      screen.click(" accept")
      await screen.waitFor("Accept Ana Pereira?")
      screen.click("[ ")
      await screen.waitUntil { !screen.contains("Accept Ana Pereira?") }
      screen.click(" accept")
      await screen.waitFor("Accept Ana Pereira?")
      let question = try #require(screen.picture.first { $0.contains("[ ") })
      let verb = question.contains("Accept  y") ? "Accept  y" : "Accept"
      screen.click(verb)
      await screen.waitFor("You and @ana are friends now.")

      screen.click("? help")
      await screen.waitFor("Keys of this screen")
      await ana.close()
      await bob.close()
    }
  }

  @Test func `a form is filled in by clicks and letters`() async throws {
    try await TestServer.with { server in
      _ = try await Journey(on: server, as: "ana")
      let journey = try await Journey(on: server)
      await journey.start()
      let screen = journey.screen
      await screen.waitFor("New account")
      screen.click("Have one?")
      await screen.waitFor("Sign in")
      screen.click("Password")
      screen.type(Samples.password)
      screen.click("E-mail")
      screen.type("ana@example.org")
      screen.click("[ Sign in")
      await screen.waitFor("@ana")
      await journey.close()
    }
  }

  @Test func `the mouse is taken on the map and by m everywhere`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let screen = ana.screen
      #expect(!screen.terminal.isMouseOn)
      screen.press("m")
      await screen.waitUntil { screen.terminal.isMouseOn }
      screen.press("1 m")
      await screen.waitUntil { !screen.terminal.isMouseOn }
      await ana.close()
    }
  }
}
