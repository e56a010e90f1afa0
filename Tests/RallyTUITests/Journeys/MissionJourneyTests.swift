import Foundation
import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallySystem
@testable import RallyTUI

/// The Missions tab with real people on a real server.
@Suite struct MissionJourneyTests {
  @Test func `three friends play a mission, each seeing what the others do`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let cleo = try await ana.friend("cleo", on: server)
      let mission = try await ana.makeMission(visibility: .invited)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")

      // Ana invites Bob, who is told so wherever he is.
      ana.screen.press("i")
      await ana.screen.waitFor("▸[ ] bob")
      ana.screen.press("Space")
      await ana.screen.waitFor("▸[x] bob")
      ana.screen.press("Enter")
      await ana.screen.waitFor("You invited @bob to Lanterns.")
      await bob.screen.waitFor("2 Missions·1")

      bob.screen.press("2")
      await bob.screen.waitFor("▸? Lanterns")
      #expect(bob.screen.contains("● ana invited you"))
      // As she writes her name.
      await bob.screen.waitFor("ana invited you.")
      bob.screen.press("a")
      await bob.screen.waitFor("You are in Lanterns.")
      await ana.screen.waitFor("● bob")

      // Cleo declines.
      try await ana.session.services.missionsService.inviteToMission(
        mission.id, userIDs: [cleo.userID()])
      cleo.screen.press("2")
      await cleo.screen.waitFor("▸? Lanterns")
      cleo.screen.press("x")
      await cleo.screen.waitFor("You are in no mission yet")

      // Bob stands at the door; the first time he reads what the others are told.
      await bob.say(where: "38.7223,-9.1393")
      bob.screen.press("Enter")
      await bob.screen.waitFor("The members will see that you")
      bob.screen.press("Enter")
      await bob.screen.waitFor("✓ Blue door")
      await ana.screen.waitFor("bob found Blue door")
      await ana.screen.waitFor("1/2")

      bob.screen.press("s")
      bob.screen.type("almost there")
      await bob.screen.waitFor("> almost there")
      bob.screen.press("Enter Esc")
      await ana.screen.waitFor("bob: “almost there”")

      // The last check-in ends it for both, and nothing is said before it any more.
      #expect(!bob.screen.contains("The members will see"))
      bob.screen.press("Enter")
      await bob.screen.waitFor("─ Mission completed ─")
      #expect(bob.screen.contains("✓ Stone cat"))
      await ana.screen.waitFor("Done 1")
      await ana.screen.waitFor("─ Mission completed ─")
    }
  }

  @Test func `a member who is no friend has a profile and can be asked to be friends`() async throws
  {
    try await TestServer.with { server in
      // given: a mission of Ana's that two friends of hers are in, who do not know each other
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await cleo.profileService.updateProfile(bio: "Fog runner")
      try await cleo.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.requestFriend(userID: cleo.userID)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await bob.session.services.missionsService.joinMission(mission.id)
      _ = try await cleo.missionsService.joinMission(mission.id)
      bob.screen.press("2")
      await bob.screen.waitFor("▸◆ Lanterns")
      await bob.screen.waitFor("○ cleo")

      // when
      bob.screen.press("M")
      await bob.screen.waitFor("Members of Lanterns")
      bob.screen.press("j")
      await bob.screen.waitFor("“Fog runner”")

      // then
      #expect(bob.screen.contains("not a friend"))
      #expect(bob.screen.contains("in this mission"))
      bob.screen.press("a")
      await bob.screen.waitFor("You asked @cleo.")
      await bob.screen.waitFor("you asked")
      let requests = try await cleo.friendsService.fetchFriendRequests(direction: .incoming)
      #expect(requests.map(\.profile.username) == ["bob"])
      bob.screen.press("M")
      await bob.screen.waitUntil { !bob.screen.contains("Members of Lanterns") }
    }
  }

  @Test func `leaving asks and says what is kept, and one can come back`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      _ = try await ana.makeMission(visibility: .friends)
      bob.screen.press("2 Tab")
      await bob.screen.waitFor("Rally does not know where you")
      await bob.say(where: "38.7223,-9.1393")
      await bob.screen.waitFor("▸◇ Lanterns")
      #expect(bob.screen.text.ranges(of: "w wider").count == 1)
      bob.screen.press("J")
      await bob.screen.waitFor("You are in Lanterns.")

      bob.screen.press("L")
      await bob.screen.waitFor("Leave Lanterns?")
      #expect(bob.screen.contains("The other member stays."))
      #expect(bob.screen.contains("[ Stay  Esc ]     Leave  y"))
      bob.screen.press("Enter")
      await bob.screen.waitUntilIdle()
      #expect(bob.screen.contains("▸◆ Lanterns"))

      bob.screen.press("L y")
      await bob.screen.waitFor("You left Lanterns. J comes back.")
      await bob.screen.waitFor("you left")
      bob.screen.press("J")
      await bob.screen.waitFor("▸◆ Lanterns")
    }
  }

  @Test func `who made a mission ends it instead of leaving, and everybody is told`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await ana.friend("bob", on: server)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await bob.session.services.missionsService.joinMission(mission.id)
      bob.screen.press("2")
      await bob.screen.waitFor("▸◆ Lanterns")
      bob.screen.press("x")
      await bob.screen.waitFor("Only the creator can end a mission; L leaves it.")

      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("L")
      await ana.screen.waitFor("It is your mission: E completes it, x calls it off.")
      ana.screen.press("E")
      await ana.screen.waitFor("0 of 2 are done; it ends as completed for")
      ana.screen.press("Esc x")
      await ana.screen.waitFor("Call off Lanterns?")
      ana.screen.press("y")
      await ana.screen.waitFor("Lanterns is called off.")
      await bob.screen.waitFor("“Lanterns” is cancelled.")
      await bob.screen.waitFor("Active 0")
      bob.screen.press("S-Tab")
      await bob.screen.waitFor("▸x Lanterns")
    }
  }

  @Test func `a check-in without a network is queued in sight, and goes out when it is back`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .private)
      await ana.say(where: "38.7223,-9.1393")
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("Enter")
      await ana.screen.waitUntilIdle()
      ana.gate.goOffline()
      ana.screen.press("Enter")
      await ana.screen.waitFor("↻ Blue door")
      #expect(ana.screen.contains("1 check-in queued"))
      await ana.screen.waitFor("Queued, sent when online")

      ana.gate.goOffline(false)
      ana.screen.press("r")
      await ana.screen.waitFor("✓ Blue door")
      await ana.screen.waitUntil { !ana.screen.contains("queued") }
    }
  }

  @Test func `a check-in from too far away says how far in its place, and can be dropped`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .private)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("Enter")
      await ana.screen.waitUntilIdle()
      ana.screen.press("Enter")
      await ana.screen.waitFor("Say where you are first: :here Lisbon")
      await ana.say(where: "41.1496,-8.611")
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Blue door")
      await ana.screen.waitFor("You are 274 km away")
      await ana.screen.waitFor("1 check-in failed")
      #expect(!ana.screen.contains("queued"))
      ana.screen.press("x")
      await ana.screen.waitUntil { !ana.screen.contains("! Blue door") }
      #expect(ana.screen.contains("▸ Blue door"))
      // A city is no place of one kilometre, and what would do is said.
      await ana.say(where: "Lisbon")
      await ana.screen.waitUntil {
        ana.session.services.currentLocationProvider.fix?.placeName == "Lisbon"
      }
      ana.screen.press("Enter")
      await ana.screen.waitFor("! Blue door")
      await ana.screen.waitUntil {
        ana.session.stores?.missions.pendingCheckIns.first?.sentence?
          .hasSuffix("as :here 38.7223,-9.1393, or let a phone report.") == true
      }
    }
  }

  @Test func `a line that was not taken stays in the field with the reason`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .private)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.gate.fail("say_in_mission", with: .unreachable("network is unreachable"))
      ana.screen.press("s")
      ana.screen.type("almost there")
      ana.screen.press("Enter")
      await ana.screen.waitFor("! ")
      #expect(ana.screen.contains("> almost there"))

      // Esc leaves, and what was typed is found again.
      ana.screen.press("Esc")
      await ana.screen.waitFor("s almost there")
      ana.gate.release("say_in_mission")
      ana.screen.press("s Enter")
      await ana.screen.waitFor("you: “almost there”")
      await ana.screen.waitUntil { !ana.screen.contains("> almost there") }
    }
  }

  @Test func `older lines are fetched when one goes up to the oldest`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let mission = try await ana.makeMission(visibility: .private)
      for number in 1...60 {
        _ = try await ana.session.services.missionsService.sayInMission(
          mission.id, text: "line \(number) of sixty")
      }
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      await ana.screen.waitFor("line 60 of sixty")
      // Beside the list it is at the newest line, opened at its title.
      ana.screen.press("Enter")
      await ana.screen.waitUntil { ana.screen.picture[3].hasSuffix("│ ◆ Lanterns") }
      ana.screen.press("G")
      // They come above, where one looks next.
      await ana.screen.waitUntil {
        ana.screen.press("k")
        return ana.screen.contains("mission started by you")
      }
    }
  }

  @Test func `nearby says what it needs, and looks further away with w`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      ana.screen.press("2 Tab")
      await ana.screen.waitFor("Rally does not know where you")
      #expect(!ana.screen.contains("/ filter"))
      ana.screen.press("/")
      await ana.screen.waitFor("There is nothing to filter.")
      ana.screen.press("w")
      await ana.screen.waitFor("Say where you are first: :here Lisbon")
      await ana.say(where: "Lisbon")
      await ana.screen.waitFor("No mission within 50 km of you.")
      ana.screen.press("w")
      await ana.screen.waitFor("No mission within 100 km of you.")
    }
  }

  @Test func `a mission is a pin on the map; Enter opens it, o comes back, c writes one there`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .private)
      ana.screen.press("1")
      await ana.screen.waitFor("Missions in view")
      await ana.screen.waitFor("◆ Lant")
      ana.screen.press("Tab")
      await ana.screen.waitFor("open the mission")
      ana.screen.press("Enter")
      await ana.screen.waitFor("▐2 Missions▌")
      await ana.screen.waitFor("▸ Blue door")

      ana.screen.press("o")
      await ana.screen.waitFor("▐1 Map▌")
      await ana.screen.waitFor("38.7 N 9.1 W")
      ana.screen.press("c")
      await ana.screen.waitFor("New mission")
      await ana.screen.waitFor("38.72")
    }
  }

  @Test func `offline with old missions and with none are two things`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      _ = try await ana.makeMission(visibility: .private)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      await ana.close()
      ana.gate.goOffline()
      await ana.start()
      await ana.screen.waitFor("offline · r retries")
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      #expect(ana.screen.contains("as of "))

      let bob = try await Journey(on: server, as: "bob")
      bob.gate.goOffline()
      await bob.start()
      bob.screen.press("2")
      await bob.screen.waitFor("missions are stored.")
    }
  }

  @Test func `on 60 by 16 the list has the screen, and Enter opens the mission`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: Size(width: 60, height: 16))
      _ = try await ana.makeMission(visibility: .private)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      #expect(!ana.screen.contains("Activity"))
      ana.screen.press("Enter")
      await ana.screen.waitFor("mission started by you")
      ana.screen.press("Esc")
      await ana.screen.waitFor("▸◆ Lanterns")
    }
  }
}

extension Journey {
  /// Signs somebody up who is this person's friend, live on the Friends tab.
  func friend(_ name: String, on server: TestServer) async throws -> Journey {
    let friend = try await Journey.live(name, on: server)
    try await friendsService.requestFriend(userID: friend.userID())
    try await friend.friendsService.requestFriend(userID: userID())
    await friend.screen.waitFor("All 1")
    await screen.waitUntil {
      self.screen.contains("○ \(name)") || self.screen.contains("● \(name)")
    }
    return friend
  }

  /// A mission in Lisbon with a door and a cat.
  func makeMission(visibility: MissionVisibility) async throws -> Mission {
    try await session.services.missionsService.createMission(
      CreateMission(
        title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, visibility: visibility,
        objectives: [ObjectiveInput(title: "Blue door"), ObjectiveInput(title: "Stone cat")]))
  }

  /// Says where one is with the command line.
  func say(where place: String) async {
    screen.type(":here \(place)")
    screen.press("Enter")
    // What is said of it stands for a moment only, and may be gone before it is looked at.
    await screen.waitUntil { session.services.currentLocationProvider.fix != nil }
  }
}
