import Foundation
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

/// Acting on many at once.
@Suite struct MarkJourneyTests {
  /// Dario, and people who ask him.
  private func asked(
    _ names: [String], on server: TestServer
  ) async throws -> (dario: Journey, others: [Journey]) {
    let dario = try await Journey.live("dario", on: server)
    let id = try await dario.userID()
    var others: [Journey] = []
    for name in names {
      let person = try await Journey(on: server, as: name)
      try await person.friendsService.requestFriend(userID: id)
      others.append(person)
    }
    await dario.screen.waitFor("Requests for you (\(names.count))")
    dario.screen.press("Esc g g")
    await dario.screen.waitUntilIdle()
    return (dario, others)
  }

  @Test func `marked requests are accepted with one question and one answer`() async throws {
    try await TestServer.with { server in
      let (dario, others) = try await asked(["ana", "bob", "cleo", "dan"], on: server)
      let screen = dario.screen

      // Space marks and goes on; the marks are seen and counted.
      screen.press("Space Space")
      #expect(screen.contains(" ✓? dan"))
      #expect(screen.contains("✓ 2 marked"))
      // v marks all rows on the way.
      screen.press("v j v")
      await screen.waitFor("✓ 4 marked")
      screen.press("Space")
      await screen.waitFor("✓ 3 marked")

      // A row that goes and one that comes change no marks.
      let eve = try await Journey(on: server, as: "eve")
      try await eve.friendsService.requestFriend(userID: dario.userID())
      await screen.waitFor("Requests for you (5)")
      #expect(screen.contains("✓ 3 marked"))

      // Who withdrew meanwhile, unseen, is the one that fails.
      dario.gate.holdFrames()
      try await others[3].friendsService.cancelFriendRequest(userID: dario.userID())
      screen.press("a")
      await screen.waitFor("Accept 3 requests?")
      #expect(screen.contains("dan, cleo and bob."))
      screen.press("y")
      await screen.waitFor("2 accepted, 1 failed: dan.")
      #expect(screen.contains("✓ 1 marked"), "who failed stays marked")
      dario.gate.releaseFrames()
      await screen.waitFor("All 2  In 2")
      await screen.waitUntil { !screen.contains("marked") }
    }
  }

  @Test func `Esc clears the marks before anything else, and without marks acts are as ever`()
    async throws
  {
    try await TestServer.with { server in
      let (dario, _) = try await asked(["ana", "bob"], on: server)
      let screen = dario.screen
      screen.press("Space")
      #expect(screen.contains("✓ 1 marked"))
      #expect(screen.contains("▸ ? ana"))
      screen.press("Esc")
      #expect(!screen.contains("marked"))
      #expect(screen.contains("▸ ? ana"))
      screen.press("x")
      await screen.waitFor("Requests for you (1)")
      #expect(screen.contains("? bob"))
    }
  }

  @Test func `people who were found are asked together, and that is undone together`()
    async throws
  {
    try await TestServer.with { server in
      let dario = try await Journey.live("dario", on: server)
      for name in ["walker1", "walker2", "walker3"] {
        _ = try await Journey(on: server, as: name)
      }
      let screen = dario.screen
      screen.press("c")
      screen.type("walker")
      await screen.waitFor("@walker3")
      screen.press("Down g g v G a")
      await screen.waitFor("Ask 3 people?")
      screen.press("y")
      await screen.waitFor("3 asked.  u undo")
      #expect(screen.contains("Out 3"))
      #expect(!screen.contains("marked"))
      screen.press("u")
      await screen.waitFor("Undone: your requests to 3 people")
      await screen.waitFor("Out 0")
    }
  }

  @Test func `people who stand differently are not acted on with one key, but blocked together`()
    async throws
  {
    try await TestServer.with { server in
      let (dario, others) = try await asked(["ana", "bob"], on: server)
      try await dario.friendsService.respondToFriendRequest(
        userID: others[0].userID(), accept: true)
      let screen = dario.screen
      await screen.waitFor("Requests for you (1)")
      await screen.waitFor("Friends (1)")
      screen.press("g g v G x")
      await screen.waitFor("They are not all of one kind")
      screen.press("B")
      await screen.waitFor("Block 2 people?")
      screen.press("Esc")
      #expect(screen.contains("✓ 2 marked"))
    }
  }

  @Test func `marked missions are left together, and joined again`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      for _ in 0..<2 {
        let mission = try await ana.makeMission(visibility: .friends)
        _ = try await bob.session.services.missionsService.joinMission(mission.id)
      }
      let screen = bob.screen
      screen.press("2")
      await screen.waitFor("Active 2")
      screen.press("g g Space Space")
      await screen.waitFor("✓ 2 marked")
      screen.press("L")
      await screen.waitFor("Leave 2 missions?")
      #expect(screen.contains("Lanterns and Lanterns."))
      screen.press("y")
      await screen.waitFor("2 left.  u undo")
      await screen.waitFor("Active 0")
      screen.press("u")
      await screen.waitFor("Active 2")
    }
  }
}
