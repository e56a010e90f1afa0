import Foundation
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import RallyWords
import TerminalKit
import Testing

/// The forms of the profile and of the settings, over the whole client.
@Suite struct DraftSheetTests {
  @Test func `the profile is changed in a form, and the new name is everywhere`() async throws {
    try await TestServer.with { server in
      _ = try await Journey(on: server, as: "ben")
      let ana = try await Journey.live("ana", displayName: "Ana", on: server)
      ana.screen.press("g p")
      await ana.screen.waitFor("Your name ")
      await ana.screen.waitUntilIdle()
      let box = ana.picture[8..<15].map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(
        box == [
          "╭─ Your profile ───────────────────────────────────────────────╮",
          "│    Username  ana                                             │",
          "│  ▸ Your name Ana                                             │",
          "│    About you may stay empty                                  │",
          "│                                                              │",
          "│    [ Change it ↵ ]                              Esc closes   │",
          "╰──────────────────────────────────────────────────────────────╯",
        ])
      ana.screen.type(" Pereira")
      ana.screen.press("S-Tab ^U")
      ana.screen.type("ben")
      ana.screen.press("Tab Tab Enter")
      await ana.screen.waitFor("! Somebody has this name already.")
      #expect(ana.screen.contains("▸ Username"))
      ana.screen.press("^U")
      ana.screen.type("ana.p")
      ana.screen.press("Tab Tab Enter")
      await ana.screen.waitFor("Profile changed.")
      await ana.screen.waitFor("@ana.p")
      let profile = try await ana.session.services.profileService.fetchProfile(forceRefresh: true)
      #expect(profile?.displayName == "Ana Pereira")
    }
  }

  @Test func `what was typed into the profile is found again`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana", on: server)
      ana.screen.type(":profile")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Your name ")
      await ana.screen.waitUntilIdle()
      ana.screen.type(" P")
      ana.screen.press("Esc 1 g p")
      await ana.screen.waitFor("Ana P")
      ana.screen.press("^_")
      await ana.screen.waitUntil { !ana.screen.contains("Ana P") }
    }
  }

  @Test func `a setting holds at once, and its undo too`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.type(":settings")
      ana.screen.press("Enter")
      await ana.screen.waitFor("Settings")
      await ana.screen.waitUntilIdle()
      // What is at the left of it is not the sheet's.
      let box = ana.picture[5..<18].map { String($0.drop { !"╭│╰".contains($0) }) }
      #expect(
        box == [
          "╭─ Settings ───────────────────────────────────────────────╮",
          "│  ▸ Theme                     auto                        │",
          "│    Mouse (auto: on the map)  auto                        │",
          "│    Saves power               auto                        │",
          "│    Heat                      auto                        │",
          "│    Saves data                auto                        │",
          "│    Network is expensive      auto                        │",
          "│    Network is there          auto                        │",
          "│                                                          │",
          "│  ● NORMAL                                                │",
          "│  This holds until Rally ends. In a configuration:        │",
          "│  [interface] theme = \"auto\"                              │",
          "╰──────────────────────────────────────────────────────────╯",
        ])
      ana.screen.press("l")
      await ana.screen.waitFor("[interface] theme = \"dark\"")
      #expect(ana.screen.terminal.theme == .fixed(.dark))
      ana.screen.press("u")
      #expect(ana.screen.terminal.theme == ThemeSetting.auto.choice)
      ana.screen.press("j j l")
      await ana.screen.waitFor("▲ CONSTRAINED low power")
      #expect(ana.policy.overrides.lowPower == true)
      ana.screen.press("u")
      await ana.screen.waitFor("● NORMAL")
      #expect(ana.policy.overrides.lowPower == nil)
      ana.screen.press("q")
      await ana.screen.waitUntil { !ana.screen.contains("Mouse (auto") }
    }
  }

  @Test func `on 60 by 16 the settings and the profile have room`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live(
        "ana", displayName: "Ana", on: server, size: Size(width: 60, height: 16))
      ana.screen.press("g s")
      await ana.screen.waitFor("Settings")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
           RALLY  1 Map  2 Missions ▐3 Friends▌          ● live  @ana
          ╭─ Settings ───────────────────────────────────────────────╮
          │  ▸ Theme                     auto                        │
          │    Mouse (auto: on the map)  auto                        │
          │    Saves power               auto                        │
          │    Heat                      auto                        │
          │    Saves data                auto                        │
          │    Network is expensive      auto                        │
          │    Network is there          auto                        │
          │                                                          │
          │  ● NORMAL                                                │
          │  This holds until Rally ends. In a configuration:        │
          │  [interface] theme = "auto"                              │
          ╰──────────────────────────────────────────────────────────╯
           no friends                             sharing with nobody
           l change  j/k move  Esc back  s SSH keys
          """)
      ana.screen.press("Esc g p")
      await ana.screen.waitFor("Your name ")
      await ana.screen.waitUntilIdle()
      expect(
        ana,
        shows: """
           RALLY  1 Map  2 Missions ▐3 Friends▌          ● live  @ana
          ────────────────────────────────────────────────────────────
            All 0  In 0  Out 0  Blocked  Find

          ╭─ Your profile ───────────────────────────────────────────╮
          │    Username  ana                                         │
          │  ▸ Your name Ana                                         │
          │    About you may stay empty                              │
          │                                                          │
          │    [ Change it ↵ ]                          Esc closes   │
          ╰──────────────────────────────────────────────────────────╯


          ────────────────────────────────────────────────────────────
           no friends                             sharing with nobody
           Tab next field  ^G editor
          """)
    }
  }
}
