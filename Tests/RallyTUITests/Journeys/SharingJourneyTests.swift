import Foundation
import RallyState
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallySystem

/// What is shared, as every client of one person shows it.
@Suite struct SharingJourneyTests {
  private func befriended(
    on server: TestServer, _ body: (Journey, Journey) async throws -> Void
  ) async throws {
    let ana = try await Journey.live("ana", on: server)
    let duo = try await Journey(on: server, as: "duo")
    try await duo.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
    await ana.screen.waitFor("All 1")
    try await body(ana, duo)
    await ana.close()
  }

  /// The services of a verb that runs on the profile of `journey`.
  private func verb(of journey: Journey) async throws -> AppServices {
    let services = AppServices(
      folders: try RallyFolders(data: journey.folder.path, environment: [:]),
      server: journey.session.services.server, broadcastStudio: BroadcastStudio())
    _ = await services.authService.restoreSession()
    return services
  }

  private func status(_ journey: Journey) -> String { journey.screen.picture[22] }

  /// Not one that is pending.
  private func isGhost(_ journey: Journey) -> Bool {
    status(journey).split(separator: " ").last == "ghost"
  }

  @Test func `two programs of one profile and its verbs agree on a ghost and on its end`()
    async throws
  {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, duo in
        // given
        let second = try Journey(besides: ana)
        await second.start()
        await second.screen.waitFor("● live")
        for journey in [ana, second] {
          await journey.screen.waitUntil { status(journey).contains("sharing with nobody") }
        }
        // when: one of them goes ghost, with nobody to hide from
        ana.screen.type("!")
        // then
        for journey in [ana, second] {
          await journey.screen.waitUntil { isGhost(journey) }
        }
        // when: a verb shares, and says where
        let verb = try await verb(of: ana)
        try await verb.locationsService.setLocationSharing(
          userID: duo.userID(), mode: .approximate10km, endsGhost: true)
        try await verb.currentLocationProvider.setManual(Samples.porto, placeName: "Porto")
        // then
        for journey in [ana, second] {
          await journey.screen.waitUntil { status(journey).contains("shared with 1") }
          #expect(!status(journey).contains("ghost"))
          journey.screen.press("1")
          await journey.screen.waitFor("You: Porto")
        }
        await second.close()
      }
    }
  }

  @Test func `what another machine of mine decides and measures is seen here`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, duo in
        // given: the same account on a machine of its own
        let folder = try TemporaryFolder()
        let other = AppServices(
          folders: try RallyFolders(data: folder.path, environment: [:]),
          server: ana.session.services.server, broadcastStudio: BroadcastStudio())
        try await other.authService.signIn(
          email: "ana@example.org", password: Samples.password)
        // when
        try await other.locationsService.setLocationSharing(
          userID: duo.userID(), mode: .approximate10km)
        await ana.screen.waitUntil { status(ana).contains("shared with 1") }
        let fetches = ana.gate.calls(of: "fetch_location_sharing")
        try await other.locationsService.publishLocations([
          LocationReport(coordinate: Samples.lisbon, recordedAt: .now, source: "gps")
        ])
        // then: the middle of a cell is not taken for where I am
        #expect(await ana.gate.wasCalled("fetch_location_sharing", times: fetches + 1))
        #expect(ana.session.services.currentLocationProvider.coordinate == nil)
        // when
        try await other.locationsService.setLocationSharing(userID: duo.userID(), mode: .precise)
        // then
        await ana.screen.waitUntil { status(ana).contains("shared with 1 · 1 precise") }
        // when
        try await other.locationsService.publishLocations([
          LocationReport(
            coordinate: Samples.porto, accuracyMetres: 12, recordedAt: .now, source: "gps")
        ])
        // then
        await ana.screen.waitUntil {
          ana.session.services.currentLocationProvider.coordinate == Samples.porto
        }
        // when
        try await other.locationsService.setLocationSharing(userID: duo.userID(), mode: .off)
        // then
        await ana.screen.waitUntil { status(ana).contains("sharing with nobody") }
      }
    }
  }

  @Test func `while the link is lost what is shared is said to be unconfirmed`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, _ in
        await ana.screen.waitUntil { status(ana).contains("  sharing with nobody") }
        // The lost link is the doubt, before any fetch fails.
        ana.gate.hold("fetch_location_sharing")
        ana.gate.breakSockets()
        await ana.screen.waitUntil { status(ana).contains("unconfirmed: sharing with nobody") }
        ana.gate.release("fetch_location_sharing")
        ana.screen.press("r")
        await ana.screen.waitUntil { !status(ana).contains("unconfirmed") }
      }
    }
  }

  @Test func `a fetch does not end the doubt while the link is lost`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, duo in
        await ana.screen.waitUntil { status(ana).contains("  sharing with nobody") }
        // Requests arrive again, the socket does not.
        ana.gate.goOffline()
        ana.gate.release("/")
        let verb = try await verb(of: ana)
        try await verb.locationsService.setLocationSharing(
          userID: duo.userID(), mode: .approximate10km)
        ana.screen.press("r")
        await ana.screen.waitUntil { status(ana).contains("unconfirmed: shared with 1") }
        ana.gate.goOffline(false)
        ana.screen.press("r")
        await ana.screen.waitUntil { status(ana).contains("  shared with 1") }
      }
    }
  }

  @Test func `sharing from the sheet says that it ends a ghost`() async throws {
    try await TestServer.with { server in
      try await befriended(on: server) { ana, _ in
        ana.screen.type("!")
        await ana.screen.waitUntil { isGhost(ana) }
        ana.screen.type("p")
        await ana.screen.waitFor("Who sees where you are")
        ana.screen.press("Right")
        await ana.screen.waitFor("You are no longer a ghost: shared with 1.")
      }
    }
  }
}
