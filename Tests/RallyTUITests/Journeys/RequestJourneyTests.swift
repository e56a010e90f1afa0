import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyDomain

/// Key journeys over a transport that refuses whatever an act may not cost: one request for who acts, and
/// none for the others.
@Suite @MainActor struct RequestJourneyTests {
  /// - Parameters:
  ///   - other: May send nothing.
  ///   - act: Returns once all screens show it.
  private func allow(
    _ count: Int, to doer: Journey, none other: Journey,
    _ location: SourceLocation = #_sourceLocation, while act: () async throws -> Void
  ) async throws {
    let people = [doer, other]
    for person in people { #expect(await person.isQuiet(), sourceLocation: location) }
    for person in people { person.gate.allow(person === doer ? count : 0) }
    try await act()
    for person in people {
      #expect(await person.isQuiet(), sourceLocation: location)
      #expect(person.gate.refused == [], sourceLocation: location)
      person.gate.allow(nil)
    }
  }

  @Test func `a friendship is made and ended with a request for each key that does it`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)
      ana.screen.press("c")
      ana.screen.type("sto")
      await ana.screen.waitFor("@bob")
      try await allow(1, to: ana, none: bob) {
        ana.screen.press("Enter")
        await ana.screen.waitFor("You asked @bob.")
        await bob.screen.waitFor("Requests for you (1)")
      }
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("x")
        await bob.screen.waitFor("Nobody here yet.")
        await ana.screen.waitUntil { ana.session.stores?.social.outgoingRequests == [] }
      }
      try await allow(1, to: ana, none: bob) {
        let id = try await bob.userID()
        try await ana.friendsService.requestFriend(userID: id)
        await bob.screen.waitFor("Requests for you (1)")
      }
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("a")
        await bob.screen.waitFor("Accept Ana Pereira?")
        bob.screen.press("y")
        await bob.screen.waitFor("You and @ana are friends now.")
        await ana.screen.waitFor("@bob is a friend now.")
      }
      ana.screen.press("Esc Esc Esc")
      await ana.screen.waitFor("All 1")
      try await allow(0, to: ana, none: bob) {
        for _ in 0..<200 { ana.screen.terminal.send([.focus(false), .focus(true)]) }
        await ana.screen.waitUntilIdle()
      }
      try await allow(1, to: ana, none: bob) {
        ana.screen.press("x y")
        await ana.screen.waitFor("Nobody here yet.")
        await bob.screen.waitFor("Nobody here yet.")
      }
    }
  }

  @Test func `a mission is played with a request for each key that does something`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      await bob.say(where: "38.7223,-9.1393")
      try await allow(1, to: ana, none: bob) {
        _ = try await ana.makeMission(visibility: .friends)
        await bob.screen.waitUntil { bob.session.stores?.missions.nearby.count == 1 }
      }
      let mission = try #require(bob.session.stores?.missions.nearby.first)
      try await allow(1, to: ana, none: bob) {
        try await ana.session.services.missionsService.inviteToMission(
          mission.id, userIDs: [bob.userID()])
        await bob.screen.waitFor("2 Missions·1")
      }
      // Whoever opens a mission reads what was said in it.
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      bob.screen.press("2")
      await bob.screen.waitFor("▸? Lanterns")
      await bob.screen.waitFor("ana invited you.")
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("a")
        await bob.screen.waitFor("You are in Lanterns.")
        await ana.screen.waitFor("● bob")
      }
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("Enter")
        await bob.screen.waitFor("The members will see that you")
        bob.screen.press("Enter")
        await bob.screen.waitFor("✓ Blue door")
        await ana.screen.waitFor("bob found Blue door")
      }
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("s")
        bob.screen.type("almost there")
        await bob.screen.waitFor("> almost there")
        bob.screen.press("Enter Esc")
        await ana.screen.waitFor("bob: “almost there”")
      }
      try await allow(1, to: bob, none: ana) {
        bob.screen.press("Enter")
        await bob.screen.waitFor("─ Mission completed ─")
        await ana.screen.waitFor("─ Mission completed ─")
      }
    }
  }
}

extension Journey {
  /// Whether nothing is under way, nor about to be sent; waits for it.
  fileprivate func isQuiet() async -> Bool {
    await eventually {
      guard let stores = self.session.stores else { return false }
      return !stores.social.synchronizer.isBusy && !stores.missions.synchronizer.isBusy
        && !stores.locationSharing.synchronizer.isBusy && !stores.map.synchronizer.isBusy
    }
  }
}
