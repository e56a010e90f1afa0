import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem

/// Every screen as a person sees it, drawn in the test.
@Suite struct ScreenPictureTests {
  /// Dario with two friends, a request for him and one of his own.
  private func community(
    on server: TestServer, size: Size = Size(width: 80, height: 24)
  ) async throws -> Journey {
    let dario = try await Journey.withFriends(on: server, size: size)
    try await dario.friendsService.requestFriend(
      userID: Journey(on: server, as: "zoe", displayName: "Zoë Brandt").userID())
    await dario.screen.waitFor("Out 1")
    await dario.screen.waitUntilIdle()
    return dario
  }

  @Test func `the Friends tab on 80 by 24`() async throws {
    try await TestServer.with { server in
      let dario = try await community(on: server)
      expect(
        dario,
        shows: """
           RALLY  1 Map  2 Missions ▐3 Friends·1▌                          ● live  @dario
          ───────────────────────────────────────────────┬────────────────────────────────
            All 2  In 1  Out 1  Blocked  Find            │
           Requests for you (1)                          │ Tomás Rey
          ▸ ? Tomás Rey            @tomas             now│ @tomas
           Friends (2)                                   │
            ○ Lucía Gómez          @lucia                │ ? wants to be friends
            ○ 田中 健司            @kenji                │ asked just now
           You asked (1)                                 │
            > Zoë Brandt           @zoe               now│ a accept
                                                         │ x decline
                                                         │ B block
                                                         │
                                                         │
                                                         │
                                                         │
                                                         │
                                                         │
                                                         │
                                                         │
                                                         │
          ───────────────────────────────────────────────┴────────────────────────────────
           2 friends · 1 request                                      sharing with nobody
           j/k move  / filter  c find people  Tab next list  Space mark     : cmd  ? help
          """)
    }
  }

  @Test func `on 60 by 16 the list has the screen, and Enter opens the person`() async throws {
    try await TestServer.with { server in
      let dario = try await community(on: server, size: Size(width: 60, height: 16))
      expect(
        dario,
        shows: """
           RALLY  1 Map  2 Missions ▐3 Friends·1▌      ● live  @dario
          ────────────────────────────────────────────────────────────
            All 2  In 1  Out 1  Blocked  Find
           Requests for you (1)
          ▸ ? Tomás Rey                  @tomas                    now
           Friends (2)
            ○ Lucía Gómez                @lucia
            ○ 田中 健司                  @kenji
           You asked (1)
            > Zoë Brandt                 @zoe                      now



          ────────────────────────────────────────────────────────────
           2 friends · 1 request                  sharing with nobody
           a accept  x decline  j/k move  / filter      : cmd  ? help
          """)

      dario.screen.press("Enter")
      await dario.screen.waitFor("? wants to be friends")
      #expect(!dario.screen.contains("Lucía"))
      #expect(dario.screen.contains("a accept"))

      dario.screen.press("Esc")
      await dario.screen.waitFor("Lucía")
    }
  }

  @Test func `on 120 by 40 the person has more room, and the footer more hints`() async throws {
    try await TestServer.with { server in
      let dario = try await community(on: server, size: Size(width: 120, height: 40))
      let picture = dario.picture
      #expect(picture.count == 40)
      #expect(picture[3].hasSuffix("│ Tomás Rey"))
      #expect(dario.screen.position(of: "│ Tomás Rey")?.x == 79)
      #expect(picture[39].hasPrefix(" j/k move  / filter  c find people  Tab next list  Space"))
      #expect(picture[39].hasSuffix(": cmd  ? help"))
    }
  }

  @Test func `nobody there, offline with old rows and offline with none are three things`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      await ana.screen.waitFor("Nobody here yet. c finds people by name")
      await ana.close()

      ana.gate.goOffline()
      await ana.start()
      await ana.screen.waitFor("offline · r retries")
      #expect(ana.screen.contains("Nobody here yet."))
      #expect(ana.screen.contains("as of "))

      let bob = try await Journey(on: server, as: "bob")
      bob.gate.goOffline()
      await bob.start()
      await bob.screen.waitFor("Server not reached")
      #expect(!bob.screen.contains("Nobody here yet."))
      #expect(bob.screen.contains("no list yet"))
    }
  }

  @Test func `a question names the person, says what is lost and offers the safe answer`()
    async throws
  {
    try await TestServer.with { server in
      let dario = try await community(on: server)
      dario.screen.press("j x")
      await dario.screen.waitFor("Unfriend Lucía Gómez?")
      #expect(dario.screen.contains("You no longer see each other here."))
      #expect(dario.screen.contains("[ Keep  Esc ]     Unfriend  y"))
      #expect(dario.screen.style(of: "[ Keep")?.attributes.contains(.bold) == true)

      // Enter is the safe answer, and no key reaches the list below.
      dario.screen.press("j Enter")
      await dario.screen.waitUntilIdle()
      #expect(!dario.screen.contains("Unfriend Lucía Gómez?"))
      #expect(dario.screen.contains("▸ ○ Lucía Gómez"))
    }
  }

  @Test func `the filter narrows the list as one types, and Esc gives it back`() async throws {
    try await TestServer.with { server in
      let dario = try await community(on: server)
      dario.screen.press("/")
      dario.screen.type("luc")
      await dario.screen.waitUntil { !dario.screen.contains("健司") }
      #expect(dario.screen.contains("Lucía Gómez"))
      dario.screen.type("x")
      await dario.screen.waitFor("Nobody here is called “lucx”.")
      dario.screen.press("Esc")
      await dario.screen.waitFor("健司")
    }
  }

  @Test func `the help lists what can be done here, and why something cannot`() async throws {
    try await TestServer.with { server in
      let dario = try await community(on: server)
      dario.screen.press("j ?")
      await dario.screen.waitFor("Keys of this screen")
      #expect(dario.screen.contains("▸a"))
      #expect(dario.screen.contains("unfriend"))
      #expect(dario.screen.contains("page 1 of "))
      dario.screen.press("Enter")
      await dario.screen.waitFor("Not now: This is no request")
      #expect(dario.screen.contains("Accept the friend request; asks first."))
      #expect(dario.screen.contains("Command line: :accept"))
      dario.screen.press("Esc PgDn")
      await dario.screen.waitFor("page 2 of ")
      dario.screen.type("suspend")
      await dario.screen.waitUntil { !dario.screen.contains("unfriend") }
      #expect(dario.screen.contains("^Z"))
      dario.screen.press("^U")
      dario.screen.type("signs")
      await dario.screen.waitFor("▮▮▮⇄▮▯▯")
      #expect(dario.screen.contains("Signs") && dario.screen.contains("<10 km"))
      dario.screen.press("Enter")
      await dario.screen.waitFor("Left of the arrows is how exactly")
      dario.screen.press("Esc")
      await dario.screen.waitUntil { !dario.screen.contains("Left of the arrows is how exactly") }
      dario.screen.press("Esc")
      await dario.screen.waitUntil { !dario.screen.contains("Keys of this screen") }
    }
  }

  @Test func `a high help says in a sentence what the selected key does`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live(
        "dario", on: server, size: Size(width: 120, height: 40))
      dario.screen.press("?")
      await dario.screen.waitFor("Keys of this screen")
      dario.screen.type("refresh")
      await dario.screen.waitFor("Fetch again, and try the connection at once.")
    }
  }

  @Test func `the policy's report names every signal, its source and what one set`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server)
      dario.screen.type(":policy low-data on")
      dario.screen.press("Enter")
      await dario.screen.waitFor("▲ CONSTRAINED low data · every 45s")
      dario.screen.type(":policy")
      dario.screen.press("Enter")
      await dario.screen.waitFor("Runtime policy")
      for signal in PolicySignal.allCases { #expect(dario.screen.contains(signal.name)) }
      #expect(dario.screen.contains("set by you"))
      #expect(dario.screen.contains("lists are asked for every 45 s"))
    }
  }

  @Test func `the command line completes, recalls, and says when it does not understand`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":mis")
      ana.screen.press("Tab Enter")
      await ana.screen.waitFor("You are in no mission yet")
      ana.screen.type(":dance")
      ana.screen.press("Enter")
      await ana.screen.waitFor("There is no command “dance”.")
      ana.screen.type(":polcy")
      ana.screen.press("Enter")
      await ana.screen.waitFor("There is no command “polcy”. Did you mean “policy”?")
      ana.screen.type(":theme li")
      await ana.screen.waitFor(" light")
      ana.screen.press("Tab Enter")
      await ana.screen.waitUntil { ana.screen.terminal.theme == .fixed(.light) }
      ana.screen.type(":zoom 7")
      ana.screen.press("Enter")
      await ana.screen.waitFor("z7")
      ana.screen.type(":zoom 99")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Write a level after it: zoom 12")
      ana.screen.type(":dance")
      ana.screen.press("Enter")
      await ana.screen.waitFor("There is no command “dance”.")
      ana.screen.press(": Up Up Enter 1")
      await ana.screen.waitFor("On the map")
      ana.screen.type(":add nobody")
      ana.screen.press("Enter")
      await ana.screen.waitFor("▲")
    }
  }

  @Test func `creating an account on 80 by 24`() async throws {
    try await TestServer.with { server in
      let journey = try await Journey(on: server)
      journey.screen.type("ana")
      journey.screen.press("Tab")
      await journey.screen.waitUntilIdle()
      let picture = journey.picture.map { $0.replacing(/127.0.0.1:\d+ */, with: "HOST") }
      #expect(
        picture[4..<17].map { $0 } == [
          "                                   R A L L Y",
          "                     your friends, on a map, in a terminal",
          "",
          "           ╭─ New account ──────────────────────────────────────────╮",
          "           │    Server    http://HOST│",
          "           │    E-mail    ana                                       │",
          "           │    ! Write an address like ana@example.org.            │",
          "           │  ▸ Username  3–24 of a–z, 0–9, _, .                    │",
          "           │    Your name may stay empty                            │",
          "           │    Password  at least 6 characters                     │",
          "           │                                                        │",
          "           │    [ Create account ↵ ]                 Have one? ^N   │",
          "           ╰────────────────────────────────────────────────────────╯",
        ])
      #expect(
        picture[23]
          == " Tab next field  ^R show  ^T server  Esc back                           F1 help")
    }
  }

  @Test func `a terminal that is too small is told how large it should be`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.resize(to: Size(width: 52, height: 11))
      await ana.screen.waitFor("Rally needs 40x12 (here 52x11). q quits.")
      ana.screen.resize(to: Size(width: 60, height: 16))
      await ana.screen.waitFor("Nobody here yet.")
    }
  }
}
