import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient
@testable import RallyTUI

/// How many keys the first acts take, with only what the screen says. Letters typed into a field are
/// not counted.
@Suite struct FirstTimeJourneyTests {
  private let size = Size(width: 100, height: 30)

  /// Presses keys that the screen names, and counts them.
  private func press(_ keys: [(key: String, hint: String)], _ journey: Journey) async -> Int {
    for (key, hint) in keys {
      await journey.screen.waitFor(hint)
      journey.screen.press(key)
    }
    return keys.count
  }

  @Test(arguments: [
    Size(width: 80, height: 24), Size(width: 120, height: 40), Size(width: 60, height: 16),
    Size(width: 40, height: 12),
  ])
  func `a new account sees the world and three steps, which go one by one as they are done`(
    size: Size
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size, isFirstVisit: true)
      let screen = ana.screen
      if size.width >= 80 {
        await screen.waitFor(". say where you are")
        #expect(screen.contains("Three steps to begin with"))
        #expect(screen.contains("i bring in a friend") && screen.contains("p decide what they see"))
      } else {
        await screen.waitFor("  . your place  i a friend  p sharing")
      }
      #expect(screen.contains("CANADA") && screen.contains("RUSSIA"))
      // when: the person says where they are
      screen.press(".")
      await screen.waitUntil { ana.interface.isCommandLineOpen }
      screen.type("Lisbon")
      screen.press("Enter")
      // then
      await screen.waitUntil {
        !screen.contains("say where you are") && !screen.contains("your place")
      }
      // Two have room for their whole titles on 60 columns, not on 40.
      await screen.waitFor(size.width < 60 ? "i a friend  p sharing" : "i bring in a friend")
      // when: a code is made
      screen.press("i")
      await screen.waitUntil { ana.interface.overlay == .invitations }
      // Until the codes were fetched no other one is made.
      await screen.waitFor("No code of yours is open")
      screen.press("c")
      await screen.waitUntil { ana.session.stores?.invitations.codes.isEmpty == false }
      screen.press("Esc")
      // then
      await screen.waitFor("p decide what they see")
      await screen.waitUntil { !screen.contains("i bring in") && !screen.contains("i a friend") }
      // when: the person looks at what friends see, and leaves it
      screen.press("p")
      await screen.waitUntil { ana.interface.overlay == .sharing(nil) }
      await screen.waitUntilIdle()
      screen.press("Esc")
      // then
      await screen.waitUntil { !screen.contains("decide what they see") }
      await ana.close()
    }
  }

  @Test func `the map measures nothing before somebody asks`() async throws {
    try await TestServer.with { server in
      let (events, gpsd) = AsyncStream.makeStream(of: LocationEvent.self)
      let ana = try await Journey.live(
        "ana", on: server, locationSources: [LocationSource(name: "gpsd") { _ in events }],
        isFirstVisit: true)
      gpsd.yield(.state(.running))
      gpsd.yield(
        .fix(
          LocationFix(
            coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gpsd")))
      let provider = ana.session.services.currentLocationProvider
      await ana.screen.waitFor(". say where you are")
      #expect(!provider.isTracking)
      ana.screen.press(".")
      await ana.screen.waitUntil { provider.source == "gpsd" }
      await ana.screen.waitUntil { !ana.screen.contains("say where you are") }
      await ana.close()
    }
  }

  @Test func `the first friend is asked with two keys and a name, and Enter asks at once`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      let bob = try await Journey.live("bob", displayName: "Bob Stone", on: server)
      var count = await press([("c", "c find people")], ana)
      ana.screen.type("sto")
      await ana.screen.waitFor("@bob")
      count += await press([("Enter", "↵ ask")], ana)
      #expect(count == 2)
      await ana.screen.waitFor("You asked @bob.")
      await bob.screen.waitFor("@ana wants to be friends.")
      await ana.close()
      await bob.close()
    }
  }

  @Test func `of several people found, Down and Enter ask the second`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      for name in ["walker1", "walker2"] { _ = try await Journey(on: server, as: name) }
      ana.screen.press("c")
      ana.screen.type("walker")
      await ana.screen.waitFor("@walker2")
      ana.screen.press("Down Enter")
      await ana.screen.waitFor("You asked @walker2.")
      await ana.close()
    }
  }

  @Test(arguments: [Size(width: 100, height: 30), Size(width: 40, height: 12)])
  func `the first check-in takes two keys, and says before the second what it tells to whom`(
    size: Size
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      _ = try await ana.makeMission(visibility: .private)
      try await ana.session.services.currentLocationProvider.setManual(
        Samples.lisbon, accuracyMetres: 5, placeName: nil)
      ana.screen.press("2")
      await ana.screen.waitFor("▸◆ Lanterns")
      var count = await press([("Enter", "↵ open")], ana)
      await ana.screen.waitFor("↵ check in")
      let words = ana.screen.text.split { " │\n".contains($0) }.joined(separator: " ")
      #expect(words.contains("The members will see that you were at Blue door, and when."))
      #expect(words.contains("Your position is checked, not kept."))
      count += await press([("Enter", "↵ check in")], ana)
      #expect(count == 2)
      await ana.screen.waitFor("✓ Blue door")
      await ana.screen.waitUntil { !ana.screen.contains("The members will see") }
      await ana.close()
    }
  }

  @Test func `precisely for two hours takes four keys, another precision two more`() async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server, size: size)
      let duo = try await Journey(on: server, as: "duo", displayName: "Duo")
      try await duo.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
      await ana.screen.waitUntil {
        ana.session.stores?.locationSharing.sharing?.friends.count == 1
      }
      let keys = [
        ("s", "s share"), ("3", "0/1/2/3 nothing, 10 km"), ("T", "t/T how long"),
        ("T", "Duo will see exactly where you are until"),
      ]
      #expect(await press(keys, ana) == 4)
      let isShared = await eventually {
        let rows = try? await ana.session.services.locationsService.fetchLocationSharing()
        guard let row = rows?.first(where: { $0.userID != nil }), let until = row.until else {
          return false
        }
        let seconds = until.since(.now).components.seconds
        return row.mode == .precise && (7000...7200).contains(seconds)
      }
      #expect(isShared)
      ana.screen.press("Esc")
      #expect(await press([("s", "s share"), ("1", "0/1/2/3 nothing, 10 km")], ana) == 2)
      await ana.screen.waitFor("Duo will see the city you are in until")
      await ana.close()
    }
  }
}
