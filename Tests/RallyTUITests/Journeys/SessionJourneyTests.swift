import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem
@testable import RallyTUI

@Suite struct SessionJourneyTests {
  @Test func `a newcomer makes an account and is in`() async throws {
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      journey.screen.type("ana@example.org")
      journey.screen.press("Tab")
      journey.screen.type("ana")
      journey.screen.press("Tab Tab")
      journey.screen.type("correct horse")
      #expect(journey.screen.contains("•••••••••••••"))
      #expect(!journey.screen.contains("correct horse"))
      journey.screen.press("^R")
      #expect(journey.screen.contains("correct horse"))
      journey.screen.press("^R")
      #expect(!journey.screen.contains("correct horse"))
      journey.screen.press("Enter")
      await journey.screen.waitFor("@ana")
      await journey.screen.waitFor("● live")
      await journey.screen.waitFor("Nobody here yet.")
    }
  }

  @Test func `Enter goes from field to field of a shared server's form, and the last one sends it`()
    async throws
  {
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      for (field, typed) in [
        ("▸ E-mail", "ana@example.org"), ("▸ Username", "ana"), ("▸ Your name", ""),
        ("▸ Password", "correct horse"),
      ] {
        await journey.screen.waitFor(field)
        journey.screen.type(typed)
        journey.screen.press("Enter")
      }
      await journey.screen.waitFor("● live")
      await journey.screen.waitFor("@ana")
    }
  }

  @Test func `Enter in a server's address goes on to its key, which is missed only there`()
    async throws
  {
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      journey.screen.press("^T")
      await journey.screen.waitFor("▸ Server")
      journey.screen.type("https://rally.example.org")
      journey.screen.press("Enter")
      await journey.screen.waitFor("▸ API key")
      #expect(!journey.screen.contains("! This server needs its API key."))
      journey.screen.press("Enter")
      await journey.screen.waitFor("! This server needs its API key.")
    }
  }

  @Test func `what is wrong is said on its field, and nothing typed is lost`() async throws {
    try await TestServer.with { server in
      let taken = try await Journey(on: server, as: "ana")
      let journey = try await Journey(on: server)
      journey.screen.type("new@example.org")
      journey.screen.press("Tab")
      journey.screen.type("a b")
      await journey.screen.waitFor("! Use letters, digits, _ or . without spaces.")
      journey.screen.press("BS BS BS")
      journey.screen.type("ana")
      journey.screen.press("Tab Tab")
      journey.screen.type("correct horse")
      journey.screen.press("Enter")
      await journey.screen.waitFor("! Somebody has this name already. Choose another.")
      #expect(journey.screen.contains("▸ Username"))
      #expect(journey.screen.contains("new@example.org"))
      await taken.close()
    }
  }

  @Test func `a public server without TLS is refused on its field`() async throws {
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      journey.screen.press("^T")
      journey.screen.type("http://203.0.113.9")
      journey.screen.press("Tab")
      journey.screen.type("key")
      journey.screen.press("Enter")
      await journey.screen.waitFor("! Without TLS anybody on the way to")
      #expect(journey.screen.contains("--insecure"))
      #expect(journey.session.services.server.url == (try ServerURL(server.url)))
      // Whoever has TLS, or is near, is taken.
      journey.screen.press("S-Tab")
      for _ in "http://203.0.113.9" { journey.screen.press("BS") }
      journey.screen.type("http://127.0.0.7:1")
      journey.screen.press("Enter")
      let near = try ServerURL("http://127.0.0.7:1")
      await journey.screen.waitUntil { journey.session.services.server.url == near }
    }
  }

  @Test func `signing out asks, forgets the session and offers to sign in`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":sign-out")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Sign out?")
      ana.screen.press("y")
      await ana.screen.waitFor("Sign in")
      #expect(await ana.session.services.authService.restoreSession() == nil)
      await ana.screen.waitUntil { !ana.folder.contents.contains { $0.contains("social-") } }

      ana.screen.type("ana@example.org")
      ana.screen.press("Tab")
      ana.screen.type("wrong password")
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Wrong name or password.")
      ana.screen.press("^U")
      ana.screen.type(Samples.password)
      ana.screen.press("Enter")
      await ana.screen.waitFor("● live")
    }
  }

  @Test func `an account is deleted after a question that its password answers`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":delete-account")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Delete your account for good?")
      #expect(ana.screen.contains("@ana"))
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Type your password.")
      ana.screen.type("guess")
      #expect(!ana.screen.contains("guess"))
      ana.screen.press("Enter")
      await ana.screen.waitFor("! That is not your password. Nothing was deleted.")
      // Esc keeps it.
      ana.screen.press("Esc")
      await ana.screen.waitUntil { !ana.screen.contains("Delete your account") }
      #expect(ana.session.stores != nil)

      ana.screen.type(":delete-account")
      ana.screen.press("Enter")
      await ana.screen.waitFor("▸ Password")
      ana.screen.type(Samples.password)
      ana.screen.press("Enter")
      await ana.screen.waitFor("Your account is deleted.")
      #expect(!ana.screen.contains("Delete your account"))
      #expect(await ana.session.services.authService.restoreSession() == nil)
      await ana.screen.waitUntil { !ana.folder.contents.contains { $0.contains("social-") } }
      ana.screen.type("ana@example.org")
      ana.screen.press("Tab")
      ana.screen.type(Samples.password)
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Wrong name or password.")
    }
  }

  @Test func `an account is deleted whose session is refused before the answer comes`() async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.gate.holdAnswers("/auth/v1/user")
      ana.screen.type(":delete-account")
      ana.screen.press("Enter")
      await ana.screen.waitFor("▸ Password")
      ana.screen.type(Samples.password)
      ana.screen.press("Enter")
      #expect(await ana.gate.isHeld("/auth/v1/user"))
      #expect(await eventually { await ana.session.services.authService.currentSession == nil })
      await ana.screen.waitUntilIdle()
      #expect(ana.session.stores != nil)
      ana.gate.release("/auth/v1/user")
      await ana.screen.waitFor("Your account is deleted.")
    }
  }

  @Test func `the question before an account is deleted is whole on the smallest terminal`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: RallyView.minimumSize)
      ana.screen.type(":delete-account")
      ana.screen.press("Enter")
      await ana.screen.waitFor("▸ Password")
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Type your password.")
      for words in [
        "Delete your account for good?", "cancelled. Nobody can", "@ana on", "Delete it",
      ] {
        #expect(ana.screen.contains(words))
      }
    }
  }

  @Test func `a session that ends elsewhere says so, closes its sheet and asks to sign in again`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":delete-account")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Delete your account for good?")
      let session = try #require(await ana.session.services.authService.currentSession)
      _ = try await ana.gate.transport.send(
        HTTPCall(
          endpoint: .url(try ServerURL(server.url)), method: .post,
          path: "/auth/v1/logout?scope=global",
          headers: [
            ("apikey", server.key), ("Authorization", "Bearer \(session.accessToken)"),
          ]))
      await ana.screen.waitFor("Your session has ended. Sign in again.")
      #expect(ana.interface.overlay == nil)
      #expect(!ana.screen.contains("Delete your account"))
    }
  }

  @Test func `offline is a mode: what was last seen is shown with its time`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)
      try await ana.friendsService.requestFriend(userID: bob.userID())
      try await bob.friendsService.requestFriend(userID: ana.userID())
      await ana.screen.waitFor("Bob Stone")
      await ana.close()

      ana.gate.goOffline()
      await ana.start()
      #expect(ana.screen.contains("Bob Stone"))
      await ana.screen.waitFor("offline · r retries")
      #expect(ana.screen.contains("as of "))
      #expect(ana.screen.contains("Bob Stone"))

      ana.gate.goOffline(false)
      ana.screen.press("Esc r")
      await ana.screen.waitFor("● live")
      await ana.screen.waitUntil { !ana.screen.contains("as of ") }
    }
  }

  @Test func `the policy's level is shown with cause and effect, and obeyed`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":policy low-power on")
      ana.screen.press("Enter")
      await ana.screen.waitFor("◐ polling 45s")
      #expect(ana.screen.contains("▲ CONSTRAINED low power · every 45s"))
      #expect(await ana.gate.wasSent { $0.event == .leave })

      ana.screen.type(":policy thermal serious")
      ana.screen.press("Enter")
      await ana.screen.waitFor("■ CRITICAL heat · every 60s")

      ana.screen.type(":policy auto")
      ana.screen.press("Enter")
      await ana.screen.waitFor("● live")
      await ana.screen.waitFor("● NORMAL")
    }
  }
}
