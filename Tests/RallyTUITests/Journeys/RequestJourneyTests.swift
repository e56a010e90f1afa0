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
