import FoundationEssentials
import RallyDomain
import RallyTUI
import RallyTestSupport
import TerminalKit
import Testing

@Suite struct DraftJourneyTests {
  private func drafts(_ journey: Journey) -> [String] {
    journey.folder.contents.filter { $0.contains("/drafts-") }
  }

  @Test func `a mission that was begun outlives a tab and a crash, and is made`() async throws {
    try await TestServer.with { server in
      // given
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      ana.screen.type("Fog run")
      ana.screen.press("Esc")
      await ana.screen.waitFor("What you typed is kept until you send or clear it.")
      ana.screen.press("1 2 c")
      await ana.screen.waitFor("Fog run")
      #expect(!ana.screen.contains("Restored"))
      await ana.screen.waitUntil { !drafts(ana).isEmpty }
      // when: the program dies, and begins anew
      ana.screen.application.finish()
      await ana.start()
      await ana.screen.waitFor("● live")
      ana.screen.press("2 c")
      // then
      await ana.screen.waitFor("Restored what you had typed.")
      #expect(ana.screen.contains("Fog run"))
      ana.screen.press("Tab Tab")
      ana.screen.type("Lisbon")
      ana.screen.press("^O")
      await ana.screen.waitFor("Mission created.")
      await ana.screen.waitUntil { !ana.screen.contains("New mission") }
      await ana.screen.waitFor("Fog run")
      await ana.screen.waitUntil { drafts(ana).isEmpty }
      ana.screen.press("c")
      await ana.screen.waitFor("New mission")
      #expect(ana.screen.contains("what it is called"))
    }
  }

  @Test func `after a pause what was typed is on the disk, with nothing closed`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      ana.screen.type("Fog run")
      await ana.screen.waitUntil {
        drafts(ana).contains { file in
          let text = try? String(contentsOfFile: ana.folder.file(file), encoding: .utf8)
          return text?.contains("Fog run") == true
        }
      }
      #expect(ana.screen.contains("New mission"))
      await ana.close()
    }
  }

  @Test func `after a resize the stores that are shown are the ones that are saved`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      for size in [Size(width: 120, height: 40), Size(width: 50, height: 10)] {
        ana.screen.terminal.resize(to: size)
      }
      ana.screen.terminal.resize(to: Size(width: 100, height: 30))
      // when: nothing rests until the program closes
      ana.screen.type("Fog run")
      await ana.session.saveState()
      // then
      let texts = drafts(ana).map {
        (try? String(contentsOfFile: ana.folder.file($0), encoding: .utf8)) ?? ""
      }
      #expect(texts.contains { $0.contains("Fog run") })
    }
  }

  @Test func `signing out forgets what was typed and not sent`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 c")
      await ana.screen.waitFor("New mission")
      ana.screen.type("Secret garden")
      ana.screen.press("Esc")
      await ana.screen.waitUntil { !drafts(ana).isEmpty }
      await ana.session.signOut()
      #expect(drafts(ana).isEmpty)
    }
  }
}
