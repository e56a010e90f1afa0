import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem

/// Every screen on 40 columns and 12 rows: a phone over SSH, a split of tmux.
@Suite struct CompactScreenTests {
  private let size = Size(width: 40, height: 12)

  @Test func `the Friends tab, a person, and what can be done with them`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, size: size)
      expect(
        dario,
        shows: """
           1 Map  2 Mis ▐3 Fri·1▌       unseen  ●
            All 2  In 1  Out 0  Blocked  Find
           Requests for you (1)
          ▸ ? Tomás Rey        @tomas AGE
           Friends (2)
            ○ Lucía Gómez      @lucia
            ○ 田中 健司        @kenji




           a accept  x decline  j/k move   ? help
          """)

      dario.screen.press("j Enter")
      await dario.screen.waitFor("friends since")
      expect(
        dario,
        shows: """
           1 Map  2 Mis ▐3 Fri·1▌       unseen  ●
            All 2  In 1  Out 0  Blocked  Find
           Lucía Gómez
           @lucia
           ○ offline
           friends since DAY

           sees of you: nothing



           Esc back  s share               ? help
          """)

      dario.screen.press("x")
      await dario.screen.waitFor("Unfriend Lucía Gómez?")
      expect(
        dario,
        shows: """
          ╭─ Unfriend Lucía Gómez? ──────────────╮
          │  You no longer see each other here.  │
          │  To be friends again, one of you     │
          │  has to ask anew.                    │
          │                                      │
          │  [ Keep  Esc ]     Unfriend  y       │
          ╰──────────────────────────────────────╯
          """)

      dario.screen.press("Esc Esc")
      await dario.screen.waitFor("田中")
    }
  }

  @Test func `the map has the screen, and Enter opens the person`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, size: size)
      dario.screen.press("1")
      await dario.screen.waitFor("▐1 Map▌")
      await dario.screen.waitUntilIdle()
      #expect(dario.picture.count == 12)
      #expect(dario.picture[0] == "▐1 Map▌ 2 Mis  3 Fri·1        unseen  ●")
      #expect(dario.picture[11] == " hjkl pan  +/- zoom  / go to     ? help")
    }
  }

  @Test func `the Missions tab, and a mission`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      _ = try await ana.makeMission(visibility: .friends)
      ana.screen.press("2")
      await ana.screen.waitFor("Lanterns")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
           1 Map ▐2 Mis▌ 3 Fri          unseen  ●
            Active 1  Nearby 0  Done 0
          ▸◆ Lanterns               0/2    no end
             ▱▱▱▱▱▱▱▱  you







           ↵ open  s say  j/k move         ? help
          """)
      ana.screen.press("Enter")
      await ana.screen.waitFor("▸ Blue door")
      for text in [" ◆ Lanterns", "· Stone cat", "s say something"] {
        #expect(ana.screen.contains(text), "\(text)\n\(ana.screen.text)")
      }
      #expect(ana.picture.last == " Esc back  j/k move  i invite    ? help")
      await ana.screen.waitUntil {
        ana.screen.press("G")
        return ana.screen.contains("mission started")
      }
      #expect(ana.screen.contains("Activity"))
      ana.screen.press("Esc")
      await ana.screen.waitFor("▸◆ Lanterns")
    }
  }

  @Test func `the composer, the help and the settings have the screen but for the keys`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
          ╭─ New mission ────────────────────────╮
          │ ▸ Title     what it is called   0/60 │
          │   Brief     what it is about; may s… │
          │   Place     a city, a street, or 38… │
          │   Radius    250 m                    │
          │   Starts    now                      │
          │   Ends      19:40, +90m, 2026-12-01… │
          │ ──────────────────────────────────── │
          │ ^O sends from any field.             │
          ╰──────────────────────────────────────╯

           ↵ go on  Tab next field  ^N add
          """)
      ana.screen.press("Esc 3 ?")
      await ana.screen.waitFor("Keys of this screen")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
          ╭─ Keys of this screen ────────────────╮
          │  / type to filter                    │
          │ ──────────────────────────────────── │
          │ Friends                              │
          │ ▸c  find people                      │
          │  i  your codes                       │
          │  S  sort                             │
          │ Everywhere                           │
          │  !  ghost                            │
          │ ↵ details  Esc close     page 1 of 9 │
          ╰──────────────────────────────────────╯
           ↓/↑ move
          """)
      ana.screen.press("Enter")
      await ana.screen.waitFor("Command line:")
      expect(
        ana,
        shows: """
          ╭─ Keys of this screen ────────────────╮
          │  find people                         │
          │  Find people by name to ask them.    │
          │                                      │
          │  Keys: c                             │
          │  Command line: :find                 │
          ╰──────────────────────────────────────╯




           ↵ go on  Esc back
          """)
      ana.screen.press("Esc Esc g s")
      await ana.screen.waitFor("Settings")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
          ╭─ Settings ───────────────────────────╮
          │  ▸ Theme               auto          │
          │    Mouse (auto: on th… auto          │
          │    Saves power         auto          │
          │    Heat                auto          │
          │                                      │
          │  ● NORMAL                            │
          │  This holds until Rally ends. In a   │
          │  configuration:                      │
          │  [interface] theme = "auto"          │
          ╰──────────────────────────────────────╯
           l change  j/k move  Esc back
          """)
    }
  }

  @Test func `who signs in or creates an account sees every field`() async throws {
    try await TestServer.with { server in
      let journey = try await Journey(on: server, size: size)
      await journey.screen.waitUntilIdle()
      for text in ["Server", "E-mail", "Username", "Your name", "Password", "[ Create account ↵ ]"]
      {
        #expect(journey.screen.contains(text), "\(text)\n\(journey.screen.text)")
      }
      journey.screen.press("^N")
      await journey.screen.waitFor("Sign in")
      let picture = journey.picture.map { $0.replacing(/127.0.0.1:\d+ */, with: "HOST") }
      #expect(
        picture.joined(separator: "\n") == """

          ╭─ Sign in ────────────────────────────╮
          │    Server    http://HOST│
          │  ▸ E-mail                            │
          │    Password                          │
          │                                      │
          │    [ Sign in ↵ ]                     │
          │    New here? ^N                      │
          ╰──────────────────────────────────────╯


           Tab next field  ^R show        F1 help
          """)
    }
  }

  @Test(arguments: [
    Size(width: 40, height: 12), Size(width: 40, height: 24), Size(width: 60, height: 15),
    Size(width: 80, height: 12), Size(width: 80, height: 24),
  ])
  func `who sees me, and that I am a ghost, stands on every tab`(_ size: Size) async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, size: size)
      let sharing = dario.session.services.locationsService
      try await sharing.setLocationSharing(userID: nil, mode: .precise)
      for tab in ["1", "2", "3"] {
        dario.screen.press(tab)
        await dario.screen.waitFor("2 precise")
      }
      dario.screen.press("!")
      for tab in ["1", "2", "3"] {
        dario.screen.press(tab)
        // Not the sentence that says what the key did.
        let row = size.isCompact ? 0 : size.height - 2
        await dario.screen.waitUntil { dario.screen.picture[row].contains("ghost") }
      }
    }
  }

  @Test func `what is said has the last row for its time, and the policy stands before the keys`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      ana.screen.type(":policy low-data on")
      ana.screen.press("Enter")
      await ana.screen.waitFor(" ▲ every 45s ")
      #expect(ana.screen.picture.last?.hasSuffix("? help") == true)
      ana.screen.type(":dance")
      ana.screen.press("Enter")
      await ana.screen.waitFor("There is no command “dance”.")
      #expect(ana.screen.picture.last?.contains("? help") == false)
      ana.screen.press("Esc")
      await ana.screen.waitUntil { ana.screen.picture.last?.hasSuffix("? help") == true }
    }
  }
}
