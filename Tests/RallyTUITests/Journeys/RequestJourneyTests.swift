import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyDomain

/// Key journeys over a transport that refuses whatever an act may not cost: one request for who acts, and
/// none for the others.
@Suite struct RequestJourneyTests {
  // MARK: - Friends

  @Test func `a friendship is made and ended with a request for each key that does it`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", displayName: "Ana Pereira", on: server)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)
      ana.screen.press("c")
      ana.screen.type("sto")
      await ana.screen.waitFor("@bob")
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("Enter")
        await ana.screen.waitFor("You asked @bob.")
        await bob.screen.waitFor("Requests for you (1)")
      }
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("x")
        await bob.screen.waitFor("Nobody here yet.")
        await ana.screen.waitUntil { ana.session.stores?.social.outgoingRequests == [] }
      }
      try await Journey.allow(1, to: ana, none: bob) {
        let id = try await bob.userID()
        try await ana.friendsService.requestFriend(userID: id)
        await bob.screen.waitFor("Requests for you (1)")
      }
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("a")
        await bob.screen.waitFor("Accept Ana Pereira?")
        bob.screen.press("y")
        await bob.screen.waitFor("You and @ana are friends now.")
        await ana.screen.waitFor("@bob is a friend now.")
      }
      ana.screen.press("Esc Esc Esc")
      await ana.screen.waitFor("All 1")
      try await Journey.allow(0, to: ana, none: bob) {
        for _ in 0..<200 { ana.screen.terminal.send([.focus(false), .focus(true)]) }
        await ana.screen.waitUntilIdle()
      }
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("x y")
        await ana.screen.waitFor("Nobody here yet.")
        await bob.screen.waitFor("Nobody here yet.")
      }
    }
  }

  @Test func `a request is withdrawn, asked again and withdrawn with a request for each key`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await Journey.live("bob", on: server)
      try await ana.friendsService.requestFriend(userID: bob.userID())
      await ana.screen.waitFor("You asked (1)")
      await bob.screen.waitFor("Requests for you (1)")
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("x")
        await ana.screen.waitFor("You withdrew your request to @bob.")
        await bob.screen.waitFor("Nobody here yet.")
      }
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("u")
        await ana.screen.waitFor("Undone: the withdrawal of your request to @bob")
        await bob.screen.waitFor("Requests for you (1)")
      }
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("^R")
        await bob.screen.waitFor("Nobody here yet.")
      }
    }
  }

  @Test func `a friend's new name and a block cost a request each, and the other one none`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      try await Journey.allow(1, to: bob, none: ana) {
        _ = try await bob.session.services.profileService.updateProfile(displayName: "Zoë")
        await ana.screen.waitFor("Zoë")
      }
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("B")
        await ana.screen.waitFor("Block Zoë?")
        ana.screen.press("y")
        await ana.screen.waitFor("You blocked @bob.")
        await bob.screen.waitFor("Nobody here yet.")
      }
    }
  }

  // MARK: - Missions

  @Test func `a mission is played with a request for each key that does something`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      await bob.say(where: "38.7223,-9.1393")
      // Missions around the place are a third list.
      await bob.screen.waitUntil { bob.gate.askedForNearbyMissions }
      try await Journey.allow(1, to: ana, none: bob) {
        _ = try await ana.makeMission(visibility: .friends)
        await bob.screen.waitUntil { bob.session.stores?.missions.nearby.count == 1 }
      }
      let mission = try #require(bob.session.stores?.missions.nearby.first)
      // Whoever opens the tab reads what was said in their missions, and in the one that is shown.
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      await ana.reads(mission)
      bob.screen.press("2")
      await bob.screen.waitUntil { bob.session.stores?.missions.feeds[nil]?.isLoading == false }
      try await Journey.allow(1, to: ana, none: bob) {
        ana.screen.press("i")
        await ana.screen.waitFor("▸[ ] bob")
        ana.screen.press("Space")
        await ana.screen.waitFor("▸[x] bob")
        ana.screen.press("Enter")
        await ana.screen.waitFor("You invited @bob to Lanterns.")
        await bob.screen.waitFor("ana invited you.")
      }
      // Whoever joins reads what was said before they could see it.
      try await Journey.allow(2, to: bob, none: ana) {
        bob.screen.press("a")
        await bob.screen.waitFor("You are in Lanterns.")
        await ana.screen.waitFor("● bob")
        await bob.reads(mission)
      }
      try await Journey.allow(1, to: ana, none: bob) {
        var call = UpdateMission(missionID: mission.id)
        call.brief = "Bring a lamp."
        _ = try await ana.session.services.missionsService.updateMission(call)
        await bob.screen.waitUntil {
          bob.session.stores?.missions.mission(mission.id)?.brief == "Bring a lamp."
        }
      }
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("Enter")
        await bob.screen.waitFor("The members will see that you")
        bob.screen.press("Enter")
        await bob.screen.waitFor("✓ Blue door")
        await ana.screen.waitFor("bob found Blue door")
      }
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("s")
        bob.screen.type("almost there")
        await bob.screen.waitFor("> almost there")
        bob.screen.press("Enter Esc")
        await ana.screen.waitFor("bob: “almost there”")
      }
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("Enter")
        await bob.screen.waitFor("─ Mission completed ─")
        await ana.screen.waitFor("─ Mission completed ─")
      }
    }
  }

  @Test func `ending and leaving a mission cost a request each, and the others none`() async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await bob.session.services.missionsService.joinMission(mission.id)
      for person in [ana, bob] {
        person.screen.press("2")
        await person.screen.waitFor("▸◆ Lanterns")
        await person.reads(mission)
      }
      await ana.screen.waitFor("● bob")
      try await Journey.allow(1, to: bob, none: ana) {
        bob.screen.press("L")
        await bob.screen.waitFor("Leave Lanterns?")
        bob.screen.press("y")
        await bob.screen.waitFor("You left Lanterns. J comes back.")
        await ana.screen.waitUntil {
          ana.session.stores?.missions.active.first?.joined.count == 1
        }
      }
      try await Journey.allow(1, to: ana, none: bob) {
        _ = await ana.session.stores?.missions.complete(mission.id)
        await ana.screen.waitFor("Done 1")
      }
    }
  }
}

extension Journey {
  /// Returns once what was said in a mission is on the screen.
  fileprivate func reads(_ mission: Mission) async {
    await screen.waitUntil {
      self.session.stores?.missions.feeds[mission.id].map { !$0.isLoading && !$0.lines.isEmpty }
        ?? false
    }
  }
}
