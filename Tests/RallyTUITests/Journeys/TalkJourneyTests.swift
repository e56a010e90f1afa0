import Foundation
import RallyDomain
import RallyTestSupport
import RallyTUI
import RallyWire
import TerminalKit
import Testing

/// The talk and the end of a mission, with two people on a real server.
@Suite struct TalkJourneyTests {
  /// Ana's mission with Bob in it, which both see in their lists.
  private func together(
    on server: TestServer, _ body: (Journey, Journey, Mission) async throws -> Void
  ) async throws {
    let ana = try await Journey.live("ana", on: server)
    let bob = try await ana.friend("bob", on: server)
    let mission = try await ana.makeMission(visibility: .friends)
    _ = try await bob.session.services.missionsService.joinMission(mission.id)
    for person in [ana, bob] {
      person.screen.press("2")
      await person.screen.waitFor("▸◆ Lanterns")
    }
    try await body(ana, bob, mission)
  }

  @Test func `what others said is counted in the list, found with n and read once`() async throws {
    try await TestServer.with { server in
      try await together(on: server) { ana, bob, mission in
        _ = try await bob.session.services.missionsService.sayInMission(
          mission.id, text: "at the door")
        // Bob joined before, which is news as well.
        await ana.screen.waitFor("2 new")
        await ana.screen.waitFor("── new ──")

        ana.screen.press("n")
        await ana.screen.waitFor("bob: “at the door”")
        await ana.screen.waitUntil { !ana.screen.contains("2 new") }
        #expect(ana.screen.contains("── new ──"))

        // After a restart it is still read.
        await ana.close()
        await ana.start()
        ana.screen.press("2")
        await ana.screen.waitFor("bob: “at the door”")
        await ana.screen.waitUntilIdle()
        #expect(!ana.screen.contains("── new ──") && !ana.screen.contains("1 new"))
        ana.screen.press("n")
        await ana.screen.waitFor("Nothing is unread.")
      }
    }
  }

  @Test func `a completed mission shows its card to all, and copies it`() async throws {
    try await TestServer.with { server in
      try await together(on: server) { ana, bob, mission in
        for objective in mission.objectives {
          _ = try await bob.session.services.missionsService.checkIn(
            objective.id, of: mission.id, at: Samples.lisbon, accuracyMetres: nil)
        }
        for person in [ana, bob] {
          await person.screen.waitFor("─ Mission completed ─")
          await person.screen.waitFor("✓ Stone cat  @bob")
          #expect(person.screen.contains("With @ana, @bob."))
        }
        ana.screen.press("y")
        await ana.screen.waitFor("Copied the card of Lanterns.")
        #expect(ana.screen.terminal.clipboard?.hasPrefix("Lanterns\nCompleted ") == true)
        ana.screen.press("Enter")
        await ana.screen.waitUntil { !ana.screen.contains("─ Mission completed ─") }

        // It is found again among what is done.
        ana.screen.press("S-Tab")
        await ana.screen.waitFor("▸✓ Lanterns")
        ana.screen.press("C")
        await ana.screen.waitFor("─ Mission completed ─")
      }
    }
  }

  @Test func `the card never comes over a text that is typed; the message stays`() async throws {
    try await TestServer.with { server in
      try await together(on: server) { ana, bob, mission in
        ana.screen.press("s")
        ana.screen.type("almost")
        await ana.screen.waitFor("> almost")
        for objective in mission.objectives {
          _ = try await bob.session.services.missionsService.checkIn(
            objective.id, of: mission.id, at: Samples.lisbon, accuracyMetres: nil)
        }
        await ana.screen.waitFor("“Lanterns” is completed.")
        #expect(!ana.screen.contains("─ Mission completed ─"))
        #expect(ana.screen.contains("> almost"))
      }
    }
  }
}
