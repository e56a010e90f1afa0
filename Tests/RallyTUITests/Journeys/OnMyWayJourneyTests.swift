import Foundation
import RallyClient
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// On the way to a mission, at two terminals.
@Suite struct OnMyWayJourneyTests {
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
      await bob.screen.waitFor("@ana will see your precise position.")
      #expect(try await ana.session.services.missionsService.fetchComing().isEmpty)
      bob.screen.press("y")
      await bob.screen.waitFor("on the way · 1 sees you")
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
      // The notice itself may have gone by now.
      bob.screen.type(":messages")
      bob.screen.press("Enter")
      await bob.screen.waitFor("You are at “Lanterns”. ↵ in it checks in at Blue door.")
      await bob.close()
      await ana.close()
    }
  }

  @Test func `an arrival is told once in two windows, by the rules of notifications`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let bob = try await TestPerson(signingUp: "bob", on: server)
      try await bob.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: bob.userID, accept: true)
      let mission = try await ana.makeMission(visibility: .friends)
      _ = try await bob.missionsService.joinMission(mission.id)
      let second = try Journey(besides: ana)
      await second.start()
      let windows = [ana, second]
      for window in windows {
        await window.screen.waitUntil { window.session.stores?.missions.active.count == 1 }
        // The second one shows the first one's list at once: nothing is news before its own fetch.
        await window.session.stores?.missions.refreshAll(mode: .refresh)
        await window.screen.waitUntilIdle()
        window.screen.terminal.send([.focus(false)])
        await window.screen.waitUntilIdle()
      }

      // Bob's program is closed: his phone reports from the place.
      try await bob.locationsService.beginOnMyWay(to: mission.id, readers: [ana.userID()])
      try await bob.locationsService.publishLocations([
        LocationReport(
          coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gps")
      ])
      let sequence = "\u{1b}]777;notify;Rally;@bob arrived at “Lanterns”.\u{1b}\\"
      @MainActor func told() -> [String] { windows.flatMap { $0.screen.terminal.sequences } }
      await ana.screen.waitUntil { told().contains(sequence) }
      for window in windows {
        await window.screen.waitUntil {
          window.session.stores?.missions.arrivals.isEmpty == false
        }
        await window.session.stores?.missions.refreshAll(mode: .refresh)
        await window.screen.waitUntilIdle()
      }
      #expect(told() == [sequence])
      for window in windows {
        window.screen.press("Esc")
        window.screen.type(":messages")
        window.screen.press("Enter")
        await window.screen.waitFor("Messages")
      }
      #expect(windows.count { $0.screen.contains("@bob arrived at “Lanterns”.") } == 1)
      for window in windows { await window.close() }
    }
  }

  private func leaveFrame(_ journey: Journey) async {
    await journey.screen.waitUntil {
      // A message that stands there goes first.
      if journey.session.stores?.map.framing != nil { journey.screen.press("Esc") }
      return journey.session.stores?.map.framing == nil
    }
    await journey.screen.waitFor("On the map")
  }

  /// Ana with a mission in Lisbon, to which Bob, a friend, and Cleo, who is none, are on the way.
  private func crowd(
    on server: TestServer, size: Size = Size(width: 80, height: 24), isPlain: Bool = false
  ) async throws -> (ana: Journey, bob: TestPerson, mission: Mission) {
    let ana = try await Journey.live("ana", on: server, size: size, isPlain: isPlain)
    let bob = try await TestPerson(signingUp: "bob", on: server)
    let cleo = try await TestPerson(signingUp: "cleo", on: server)
    try await bob.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: bob.userID, accept: true)
    let mission = try await ana.makeMission(visibility: .friends)
    let code = try await ana.session.services.client.call(
      CreateInvitation(missionID: mission.id, uses: 2)
    ).code
    for (person, latitude) in [(bob, 38.74), (cleo, 38.75)] {
      _ = try await person.client.call(AcceptInvitation(code: code))
      try await person.locationsService.beginOnMyWay(to: mission.id, readers: [ana.userID()])
      try await person.locationsService.publishLocations([
        LocationReport(
          coordinate: Samples.coordinate(latitude, -9.1393), accuracyMetres: 8, recordedAt: .now,
          source: "gps")
      ])
    }
    await ana.screen.waitUntil {
      ana.session.stores?.missions.coming.count == 2
        && ana.session.stores?.map.records.count == 2
    }
    return (ana, bob, mission)
  }

  @Test func `one key frames who comes on the map, and Esc goes back to what was shown`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, bob, _) = try await crowd(on: server)
      let map = try #require(ana.session.stores?.map)
      ana.screen.press("1")
      await ana.screen.waitFor("1 live")
      ana.screen.press("+ + h")
      let (centre, zoom) = (map.centre, map.zoom)
      #expect(zoom != nil)

      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("F")
      await ana.screen.waitFor("2 on the way")
      await ana.screen.waitFor("→ bob 2.0 km")
      // Who is no friend has a pin too, and everybody is in view.
      await ana.screen.waitFor("→ cleo 3.1 km")
      for pin in ["●bob", "●cleo", "Lanterns"] { await ana.screen.waitFor(pin) }
      await ana.screen.waitFor("who comes to Lanterns")
      #expect((map.centre, map.zoom) == (centre, zoom))

      // Who moves stays in view; a view that was moved by hand stays where it is.
      try await bob.locationsService.publishLocations([
        LocationReport(
          coordinate: Samples.coordinate(40.0, -9.1393), accuracyMetres: 8, recordedAt: .now,
          source: "gps")
      ])
      await ana.screen.waitFor("→ bob 142 km")
      #expect(ana.screen.contains("●bob"))
      ana.screen.press("0")
      await ana.screen.waitUntil { map.framing?.isHeld == false }
      await ana.screen.waitUntil { !ana.screen.contains("who comes to") }
      ana.screen.press("F")
      await ana.screen.waitUntil { map.framing?.isHeld == true }

      ana.screen.press("0")
      await leaveFrame(ana)
      #expect((map.centre, map.zoom) == (centre, zoom))
      #expect(map.framing == nil)
      await ana.close()
    }
  }

  @Test(arguments: [Size(width: 60, height: 16), Size(width: 120, height: 40)])
  func `the strip has room beside or below the map`(_ size: Size) async throws {
    try await TestServer.with { server in
      let (ana, _, mission) = try await crowd(on: server, size: size)
      ana.screen.press("1")
      ana.screen.press("F")
      await ana.screen.waitFor("→ bob 2.0 km")
      await ana.screen.waitFor("→ cleo 3.1 km")
      if size.width > 100 { await ana.screen.waitFor("●cleo") }
      // The mission ends, and the map is as it was.
      _ = try await ana.session.services.missionsService.cancelMission(mission.id)
      await ana.screen.waitUntil { ana.session.stores?.map.framing == nil }
      #expect(!ana.screen.contains("→ bob"))
      await ana.close()
    }
  }

  @Test func `the pin of a mission begins and ends the way to it`() async throws {
    try await TestServer.with { server in
      let (ana, _, _) = try await crowd(on: server)
      await ana.say(where: "38.73,-9.1393")
      ana.screen.press("1")
      await ana.screen.waitFor("1 live")
      ana.session.stores?.map.select(pin: nil)
      ana.screen.press("Tab Tab")
      await ana.screen.waitFor("open the mission")
      ana.screen.press("W")
      await ana.screen.waitFor("Show the way to Lanterns?")
      ana.screen.press("y")
      // Only then is the first key done; what it says would take the place of what the next one says.
      await ana.screen.waitFor("You are on your way to Lanterns.")
      await ana.screen.waitFor("on the way · 2 see you")
      await ana.screen.waitUntil { ana.session.stores?.missions.coming.count == 3 }
      ana.screen.press("W")
      await ana.screen.waitFor("You no longer show the way to Lanterns.")
      await ana.close()
    }
  }

  @Test func `the start of a live mission asks once, and shares nothing by itself`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      await ana.say(where: "38.74,-9.1393")
      var call = CreateMission(
        title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, visibility: .friends)
      call.isLive = true
      let mission = try await ben.missionsService.createMission(call)
      _ = try await ana.session.services.missionsService.joinMission(mission.id)
      // A line, over which the keys of the screen stay what they are.
      await ana.screen.waitFor("“Lanterns” has started. W in it, or g w, says that you are on your")
      #expect(!ana.interface.isCovered)
      ana.screen.press("g w")
      await ana.screen.waitFor("Say that you are on your way?")
      await ana.screen.waitFor("Lanterns has started.")
      await ana.screen.waitFor("@ben will see your precise position.")
      ana.screen.press("Esc")
      await ana.screen.waitUntil { !ana.screen.contains("Say that you are on your way?") }
      #expect(try await ben.missionsService.fetchComing().isEmpty)

      // Who declined is not asked again, also after a restart.
      await ana.session.saveState()
      await ana.start()
      await ana.screen.waitUntil { ana.session.stores?.missions.liveMissions.count == 1 }
      await ana.screen.waitUntilIdle()
      #expect(ana.interface.newestWaiting == nil)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      await ana.screen.waitFor("live · 2.0 km S")
      await ana.close()
    }
  }

  @Test func `who joins later is offered, and sees nothing without an answer`() async throws {
    try await TestServer.with { server in
      let (ana, bob, mission) = try await crowd(on: server)
      let dora = try await TestPerson(signingUp: "dora", on: server)
      try await dora.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: dora.userID, accept: true)
      await ana.say(where: "38.73,-9.1393")
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("W")
      await ana.screen.waitFor("Show the way to Lanterns?")
      ana.screen.press("y")
      await ana.screen.waitFor("on the way · 2 see you")

      _ = try await dora.missionsService.joinMission(mission.id)
      await ana.screen.waitFor("@dora joined “Lanterns” and does not see your way. g w asks")
      ana.screen.press("g w")
      await ana.screen.waitFor("Show them the way too?")
      ana.screen.press("Esc")
      await ana.screen.waitUntil { !ana.screen.contains("Show them the way too?") }
      #expect(try await dora.missionsService.fetchComing().isEmpty)

      _ = try await dora.missionsService.leaveMission(mission.id)
      _ = try await dora.missionsService.joinMission(mission.id)
      await ana.screen.waitUntil { ana.interface.newestWaiting != nil }
      ana.screen.press("g w")
      await ana.screen.waitFor("Show them the way too?")
      ana.screen.press("y")
      await ana.screen.waitFor("on the way · 3 see you")
      for reader in [bob, dora] {
        #expect(
          try await reader.missionsService.fetchComing().contains {
            $0.username == "ana" && $0.location?.precision == .precise
          })
      }
      await ana.close()
    }
  }

  @Test func `one key asks all friends who have not arrived, and says why others were not`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, _, mission) = try await crowd(on: server)
      let dora = try await TestPerson(signingUp: "dora", on: server)
      try await dora.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: dora.userID, accept: true)
      _ = try await dora.missionsService.joinMission(mission.id)
      await ana.screen.waitUntil {
        ana.session.stores?.social.friends.count == 2
          && ana.session.stores?.missions.mission(mission.id)?.joined.count == 4
      }
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      ana.screen.press("Q")
      await ana.screen.waitFor("You asked 1 friend where they are. 2 show you the way.")
      let asks = try await dora.friendsService.fetchLocationAsks()
      #expect(asks.map(\.username) == ["ana"])
      ana.screen.press("Esc Q")
      await ana.screen.waitFor("Nobody was asked. 2 show you the way, 1 was asked before.")
      #expect(ana.gate.calls(of: "ask_location") == 1)
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
      // The news above names it too. The first row counts before the list has selected it.
      await ana.screen.waitFor("0 of 2 done")
      ana.screen.press("Enter")
      await ana.screen.waitFor("friends see it")
      try await ben.locationsService.beginOnMyWay(to: mission.id, readers: [ana.userID()])
      await ana.screen.waitFor("ben on the way")
      ana.screen.press("F")
      await ana.screen.waitFor("Who comes to Lanterns")
      await ana.screen.waitFor("ben on the way")
      await leaveFrame(ana)
      await ana.close()
    }
  }
}
