import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// On the way to a mission, at two terminals.
@Suite @MainActor struct OnMyWayJourneyTests {
  @Test func `one key shows the way after a question, until the place is reached`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await bob.session.services.missionsService.joinMission(mission.id)
      for journey in [ana, bob] {
        journey.screen.press("2")
        await journey.screen.waitFor("▸◆ Lanterns")
        journey.screen.press("Enter")
      }
      await bob.say(where: "38.74,-9.1393")

      // Bob is asked first, and who would see him is named.
      bob.screen.press("W")
      await bob.screen.waitFor("Show the way to Lanterns?")
      await bob.screen.waitFor("@ana sees your precise position.")
      #expect(try await ana.session.services.missionsService.fetchComing().isEmpty)
      bob.screen.press("y")
      await bob.screen.waitFor("on my way · 1 sees you")
      await ana.screen.waitFor("→ bob 2.0 km")
      await bob.screen.waitUntil { bob.session.stores?.missions.coming.isEmpty == false }

      // The same key ends it.
      bob.screen.press("W")
      await bob.screen.waitFor("You no longer show the way to Lanterns.")
      await ana.screen.waitUntil { !ana.screen.contains("→ bob") }
      await bob.screen.waitUntil { bob.session.stores?.missions.coming.isEmpty == true }

      // At the place it ends by itself, and the check-in is offered.
      bob.screen.press("W")
      await bob.screen.waitFor("Show the way to Lanterns?")
      bob.screen.press("y")
      await ana.screen.waitFor("→ bob 2.0 km")
      await bob.say(where: "38.7223,-9.1393")
      await ana.screen.waitFor("✓ bob arrived")
      await bob.screen.waitFor("You are there: ↵ checks in")
      await bob.screen.waitUntil { !bob.screen.contains("on my way") }
      #expect(!bob.screen.contains("✓ Blue door"))
      await bob.close()
      await ana.close()
    }
  }

  @Test func `in plain mode it is said in words`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, isPlain: true)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await ben.missionsService.joinMission(mission.id)
      ana.screen.press("2")
      await ana.screen.waitFor("Lanterns")
      ana.screen.press("Enter")
      try await ben.locationsService.beginOnMyWay(to: mission.id, readers: [ana.userID()])
      await ana.screen.waitFor("ben on the way")
      await ana.close()
    }
  }
}
