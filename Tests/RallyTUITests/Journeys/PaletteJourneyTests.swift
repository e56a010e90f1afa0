import Foundation
import RallyDomain
import RallyTestSupport
import RallyTUI
import RallyWire
import TerminalKit
import Testing

/// Going to anything by a few letters, from every tab.
@Suite struct PaletteJourneyTests {
  @Test func `a person is selected, a mission opened, a place shown and an act done`()
    async throws
  {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server)
      let screen = dario.screen
      _ = try await dario.makeMission(visibility: .friends)
      screen.press("2")
      await screen.waitFor("▸◆ Lanterns")

      // A friend, from the map.
      screen.press("1")
      await screen.waitFor("On the map")
      screen.press("^K")
      await screen.waitFor("Go to anything")
      screen.type("lcg")
      await screen.waitFor("▸ ○ Lucía Gómez")
      screen.press("Enter")
      await screen.waitFor("│ Lucía Gómez")
      #expect(screen.contains("▸ ○ Lucía Gómez"))
      #expect(!screen.contains("Go to anything"))

      // A place, from the friends.
      screen.press("^P")
      await screen.waitFor("Go to anything")
      screen.type("reykj")
      await screen.waitFor("▸ ◇ Reykjavík")
      screen.press("Enter")
      await screen.waitFor("64.1 N 21")

      // A mission, from the map.
      await screen.waitUntil { dario.session.services.navigationService.selectedTab == .map }
      screen.press("^K")
      screen.type("lant")
      await screen.waitFor("▸ ◆ Lanterns")
      screen.press("Enter")
      await screen.waitFor("▐2 Missions▌")
      await screen.waitFor("▸ Blue door")

      // An act, from the missions; one that cannot be done says why.
      screen.press("^K")
      screen.type("settings")
      await screen.waitFor("▸ : settings")
      screen.press("Enter")
      await screen.waitFor("Settings")
      screen.press("Esc ^K")
      screen.type("redo")
      await screen.waitFor("▸ : redo")
      #expect(screen.contains("Nothing to redo."))
      screen.press("Enter")
      await screen.waitFor("▲ Nothing to redo.")
    }
  }

  @Test func `the palette's keys choose among what is found, and Esc leaves everything as it was`()
    async throws
  {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server)
      let screen = dario.screen
      screen.press("^K")
      screen.type("o")
      await screen.waitFor("Go to anything")
      let first = try #require(selectedLine(screen))
      screen.press("^N")
      #expect(selectedLine(screen) != first)
      screen.press("^P")
      #expect(selectedLine(screen) == first)
      screen.press("Down")
      #expect(selectedLine(screen) != first)
      screen.press("Up")
      #expect(selectedLine(screen) == first)
      screen.press("Esc")
      #expect(!screen.contains("Go to anything"))
      #expect(screen.contains("▸ ? Tomás Rey"))

      // In a field ^K deletes as everywhere, and ^P goes to anything.
      screen.press("/")
      screen.type("luc")
      screen.press("^A ^K")
      #expect(!screen.contains("Go to anything"))
      screen.press("^P")
      #expect(screen.contains("Go to anything"))
    }
  }

  @Test func `who shares a position can be shown on the map at once`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server)
      let ana = try await dario.friend("ana", on: server)
      _ = try await dario.friend("bob", on: server)
      try await ana.share(.precise)
      try await ana.stand(at: 48.8606, 2.3376)
      let screen = dario.screen
      screen.press("1")
      await screen.waitFor("●ana")

      screen.press("^K")
      screen.type("bob")
      await screen.waitFor(" bob  @bob")
      screen.press("^O")
      await screen.waitFor("@bob shows you no position.")
      screen.press("^U")
      screen.type("ana")
      await screen.waitFor("friend, online, on the map")
      screen.press("^O")
      await screen.waitFor("48.9 N 2.3 E")

      screen.press("^K")
      await screen.waitFor("▸ ● ana")  // the last pick stands first
      screen.press("Enter")
      await screen.waitFor("@ana is on the map: o shows where.")
      #expect(dario.session.services.navigationService.selectedTab == .friends)
    }
  }

  @Test func `the palette on 80 by 24`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server)
      dario.screen.press("^K")
      // Luzhou is called Lu, too: a whole name comes before the beginning of a larger city's.
      dario.screen.type("lu")
      expect(
        dario,
        shows: """
           RALLY  1 Map  2 Missions ▐3 Friends·1▌                          ● live  @dario
          ───────────────────────────────────────────────┬────────────────────────────────
          ╭─ Go to anything ─────────────────────────────────────────────────────────────╮
          │ > lu                                                                         │
          │ ──────────────────────────────────────────────────────────────────────────── │
          │ ▸ ○ Lucía Gómez  @lucia                                               friend │
          │   ◇ Luzhou  China                                                      place │
          │   ◇ Lüliang  China                                                     place │
          │   ◇ Luanda  Angola                                                     place │
          │   ◇ Lucknow  India                                                     place │
          │   ◇ Lubumbashi  DR Congo                                               place │
          │   ◇ Lusaka  Zambia                                                     place │
          │   ◇ Lu’an  China                                                       place │
          │   ◇ Ludhiana  India                                                    place │
          │   ◇ Luoyang  China                                                     place │
          │   ◇ Luohe  China                                                       place │
          │   ◇ Luohu District  China                                              place │
          │   ◇ Lubango  Angola                                                    place │
          │   ◇ Luancheng  China                                                   place │
          │   ◇ Luxor  Egypt                                                       place │
          │ ↵ go  ^N next  ^O on the map  Esc close                                      │
          ╰──────────────────────────────────────────────────────────────────────────────╯
           2 friends · 1 request                                      sharing with nobody
           ↓/↑ move
          """)
    }
  }

  @Test func `on 60 by 16 it has the screen, and what it answers is seen`() async throws {
    try await TestServer.with { server in
      let dario = try await Journey.withFriends(on: server, size: Size(width: 60, height: 16))
      dario.screen.press("^K")
      dario.screen.type("redo")
      dario.screen.press("^O")
      await dario.screen.waitFor("▲ Select a person who is on the map.")
      expect(
        dario,
        shows: """
          ╭─ Go to anything ─────────────────────────────────────────╮
          │ > redo                                                   │
          │ ──────────────────────────────────────────────────────── │
          │ ▸ : redo  Nothing to redo.                            ^R │
          │   ◇ Redondo Beach  United States                   place │
          │   ◇ Volta Redonda  Brazil                          place │
          │   ◇ Capao Redondo  Brazil                          place │
          │   : repaint  Redraw the whole screen.                 ^L │
          │   : profile  Change your name and what others read … g p │
          │   : block  Block the person; friendship and requests … B │
          │   : zones  See and remove the zones and hours that hol…  │
          │   : ghost  Hide from everybody at once; again restore… ! │
          │   : mark  Mark or unmark the row; actions then ap… Space │
          │ ↵ go  ^N next  ^O on the map  Esc close                  │
          ╰──────────────────────────────────────────────────────────╯
           ▲ Select a person who is on the map.
          """)
    }
  }

  private func selectedLine(_ screen: TestScreen) -> String? {
    screen.picture.first { $0.contains("▸") && $0.contains("│") && $0.contains("  ") }
  }
}
