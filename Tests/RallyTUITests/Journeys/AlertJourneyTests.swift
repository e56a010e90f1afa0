import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyTUI

/// Being told once where a friend is, over the rows that come anyway.
@Suite struct AlertJourneyTests {
  /// Ana at the screen in Lisbon; Ben, her friend, shows her where he is.
  private func befriended(
    _ mode: SharingMode = .precise,
    _ body: (Journey, TestPerson) async throws -> Void
  ) async throws {
    try await TestServer.with { server in
      let ana = try await Journey.live("ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: ben.userID, accept: true)
      try await ben.locationsService.setLocationSharing(userID: nil, mode: mode)
      try await move(ben, to: Samples.porto)
      await ana.screen.waitFor("@ben")
      // Not by the command, whose toast may cover that of the next one.
      let here = await ana.session.stores?.locationSharing.setHere("38.7223,-9.1393")
      #expect(here?.isDone == true)
      await ana.screen.waitUntil { ana.session.stores?.map.myPosition != nil }
      await ana.screen.waitUntil { ana.session.stores?.map.positions.count == 1 }
      try await body(ana, ben)
      await ana.close()
    }
  }

  private func command(_ text: String, _ journey: Journey) {
    journey.screen.press("Esc")
    journey.screen.type(":\(text)")
    journey.screen.press("Enter")
  }

  private func move(_ person: TestPerson, to place: Coordinate) async throws {
    try await person.locationsService.publishLocations([
      LocationReport(coordinate: place, accuracyMetres: 8, recordedAt: .now, source: "gps")
    ])
  }

  @Test func `a friend who comes near is told once, and the server was asked nothing for it`()
    async throws
  {
    try await befriended { ana, ben in
      // given
      let sent = ana.gate.calls.count
      // when
      command("tell ben near 500m until friday", ana)
      await ana.screen.waitFor("You hear once when @ben is within 500 m of you, until ")
      command("tell ben near 500m of Porto Moniz Bar", ana)
      await ana.screen.waitFor("No place called Porto Moniz Bar is known.")
      try await move(ben, to: Samples.coordinate(38.7223, -9.1300))
      try await move(ben, to: Samples.coordinate(38.7230, -9.1390))
      // then
      await ana.screen.waitFor("@ben is within 500 m of you.")
      // My own move fetches what it changes.
      let calls = ana.gate.calls.dropFirst(sent).filter { !$0.contains("/fetch_") }
      #expect(calls == [])
      // when: again, and the list is empty
      command("alerts", ana)
      await ana.screen.waitFor("None. :tell bob near 500m")
    }
  }

  @Test func `the list says what waits and what cannot be told, and removes`() async throws {
    try await befriended { ana, ben in
      command("tell ben leaves", ana)
      await ana.screen.waitFor("You hear once when @ben leaves where they are (more than 200 m")
      try await ben.locationsService.setLocationSharing(userID: nil, mode: .approximate10km)
      command("alerts", ana)
      await ana.screen.waitFor("leaves where they were (more than 200 m away)")
      await ana.screen.waitFor("For now: about 10 km is too coarse for 200 m.")
      ana.screen.press("x")
      await ana.screen.waitFor("You no longer hear when @ben leaves")
      await ana.screen.waitFor("None. :tell bob near 500m")
    }
  }

  @Test func `a coarse friend is refused what cannot be known`() async throws {
    try await befriended(.approximate10km) { ana, _ in
      command("tell ben near 500m", ana)
      await ana.screen.waitFor("@ben is known to about 10 km, which is too coarse for 500 m")
      command("tell ben", ana)
      await ana.screen.waitFor("Type who and what: bob near 500m")
    }
  }

  @Test func `I come near myself, and an alert of another program is followed`() async throws {
    try await befriended { ana, _ in
      command("tell ben leaves Faro", ana)
      await ana.screen.waitFor("@ben is more than 5 km away from Faro, Portugal already.")
      let other = ana.session.services.makeAlertsStore()
      let request = try AlertRequest(["anybody", "near"], now: .now)
      let stores = try #require(ana.session.stores)
      let scene = AlertScene(
        stores.social, stores.map, ana.session.services.currentLocationProvider,
        at: .now)
      _ = try await other.add(request, at: nil, in: scene)
      await ana.screen.waitUntil { stores.alerts.alerts.count == 1 }
      command("here 41.1500,-8.6111", ana)
      await ana.screen.waitUntil { stores.alerts.alerts.isEmpty }
      // The toast may have made room for that of `:here`.
      command("messages", ana)
      await ana.screen.waitFor("@ben is within 500 m of you.")
    }
  }

  @Test func `Tab completes who and what`() async throws {
    try await befriended { ana, _ in
      ana.screen.press("Esc")
      ana.screen.type(":tell b")
      ana.screen.press("Tab")
      await ana.screen.waitFor(":tell ben")
      ana.screen.type(" l")
      ana.screen.press("Tab")
      await ana.screen.waitFor(":tell ben leaves")
    }
  }

  @Test func `a key on a friend begins the command`() async throws {
    try await befriended { ana, _ in
      ana.screen.press("3")
      await ana.screen.waitFor("@ben")
      ana.screen.press("t")
      await ana.screen.waitFor(":tell ben near")
      ana.screen.type("400 km")
      ana.screen.press("Enter")
      await ana.screen.waitFor("@ben is within 400 km of you already.")
      ana.screen.press(":")
      await ana.screen.waitUntilIdle()
      #expect(!ana.screen.contains(":tell"))
    }
  }
}
