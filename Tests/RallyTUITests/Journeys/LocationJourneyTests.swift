import Foundation
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient

/// Positions that come by themselves, as the person sees them.
@Suite struct LocationJourneyTests {
  private func fix(_ place: Coordinate, speed: Double? = nil) -> LocationEvent {
    .fix(
      LocationFix(
        coordinate: place, accuracyMetres: 8, speed: speed, recordedAt: .now, source: "gpsd"))
  }

  @Test(arguments: [(80, 24), (120, 40), (60, 16)])
  func `the sheet shows what each source says, why one is taken, and what changes meanwhile`(
    width: Int, height: Int
  ) async throws {
    try await TestServer.with { server in
      // given
      let (events, gpsd) = AsyncStream.makeStream(of: LocationEvent.self)
      let ana = try await Journey.live(
        "ana", on: server, size: Size(width: width, height: height),
        locationSources: [LocationSource(name: "gpsd") { _ in events }])
      let screen = ana.screen
      screen.press("1")
      gpsd.yield(.state(.searching("no fix yet, 3 of 9 satellites used")))
      // when
      screen.press("w")
      // then
      await screen.waitFor("Where your position comes from")
      await screen.waitFor("searching: no fix yet, 3 of 9 satellites")
      // when: it finds its fix, while the sheet is open
      gpsd.yield(.state(.running))
      gpsd.yield(fix(Samples.lisbon))
      // then
      await screen.waitFor("running · within 8 m")
      await screen.waitFor("the first source with a fresh fix")
      // when: the person says for how long they are elsewhere
      screen.press("Esc")
      screen.type(":here Porto for 2h")
      screen.press("Enter")
      await screen.waitUntil { ana.session.services.currentLocationProvider.source == "manual" }
      screen.type(":sources")
      screen.press("Enter")
      // then
      await screen.waitFor("set by you for 2 hours more")
      await screen.waitFor("manual goes before it")
      // when
      screen.press("w")
      await screen.waitUntil { !screen.contains("Where your position comes from") }
      screen.type(":here auto")
      screen.press("Enter")
      // then
      await screen.waitUntil { ana.session.services.currentLocationProvider.source == "gpsd" }
      await ana.close()
    }
  }

  @Test func `a friend's open map follows what is measured, and nobody types`() async throws {
    try await TestServer.with { server in
      // given
      let (events, gpsd) = AsyncStream.makeStream(of: LocationEvent.self)
      let ana = try await Journey.live(
        "ana", on: server, locationSources: [LocationSource(name: "gpsd") { _ in events }])
      let duo = try await Journey.live("duo", on: server)
      try await duo.friendsService.requestFriend(userID: ana.userID())
      try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
      await duo.screen.waitFor("All 1")
      duo.screen.press("1")
      try await ana.session.services.locationsService.setLocationSharing(
        userID: duo.userID(), mode: .precise)
      await ana.screen.waitFor("shared with 1")
      #expect(!duo.screen.contains("Paris"))
      // when
      gpsd.yield(.state(.running))
      gpsd.yield(fix(Samples.coordinate(48.8606, 2.3376)))
      // then
      await duo.screen.waitFor("Paris")
      #expect(duo.screen.contains("ana"))
      // when: nothing is shared any more, and no map is open
      let id = try await duo.userID()
      try await ana.session.services.locationsService.setLocationSharing(userID: id, mode: .off)
      // then
      await ana.screen.waitUntil { !ana.session.services.currentLocationProvider.isTracking }
      await ana.close()
      await duo.close()
    }
  }
}
