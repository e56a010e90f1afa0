import Foundation
import RallyState
import RallyDomain
import RallyTUI
import RallyTestSupport
import RallyWire
import TerminalKit
import Testing

@testable import RallyClient
@testable import RallySystem

/// Zones and hours, by what is typed and what the screen says.
@Suite struct PrivacyJourneyTests {
  /// Ana, who shares precisely with Duo and is measured in Lisbon, on the map.
  private func shared(
    on server: TestServer, size: Size = Size(width: 100, height: 30),
    _ body: (Journey, Journey) async throws -> Void
  ) async throws {
    let (events, gpsd) = AsyncStream.makeStream(of: LocationEvent.self)
    let ana = try await Journey.live(
      "ana", on: server, size: size, locationSources: [LocationSource(name: "gpsd") { _ in events }]
    )
    let duo = try await Journey(on: server, as: "duo")
    try await duo.friendsService.requestFriend(userID: ana.userID())
    try await ana.friendsService.respondToFriendRequest(userID: duo.userID(), accept: true)
    await ana.screen.waitFor("All 1")
    command(ana, ":share precise")
    await ana.screen.waitFor("shared with 1 · 1 precise")
    gpsd.yield(.state(.running))
    gpsd.yield(
      .fix(
        LocationFix(
          coordinate: Samples.lisbon, accuracyMetres: 8, recordedAt: .now, source: "gpsd")))
    ana.screen.press("1")
    await ana.screen.waitUntil { ana.gate.calls(of: "publish_locations") == 1 }
    try await body(ana, duo)
    gpsd.finish()
    await ana.close()
  }

  private func command(_ journey: Journey, _ text: String) {
    journey.screen.type(text)
    journey.screen.press("Enter")
  }

  /// How exactly a friend sees the position now; nil if the server was not reached.
  private func precision(seenBy journey: Journey) async -> SharingMode? {
    let seen = try? await journey.session.services.locationsService.fetchFriendLocations()
    return seen.map { $0.first?.precision ?? .off }
  }

  @Test func `a zone is made, drawn, told in the bar and the sheet, and removed`() async throws {
    try await TestServer.with { server in
      try await shared(on: server) { ana, duo in
        // when
        command(ana, ":zone home 300m")
        // then
        await ana.screen.waitFor("home: nothing leaves within 300 m of 38.7223, -9.1393.")
        await ana.screen.waitFor("shared with 1 · held back in home")
        #expect(!ana.screen.contains("1 precise"))
        let isHidden = await eventually { await precision(seenBy: duo) == .off }
        #expect(isHidden)
        ana.screen.press("Esc .")
        // On which side its name stands depends on chance, as the circle's centre does.
        await ana.screen.waitUntil {
          ana.screen.contains("◌")
            && ana.screen.picture.contains { row in
              row.contains("│") && row.prefix { $0 != "│" }.contains("home")
            }
        }
        ana.screen.press("p")
        await ana.screen.waitFor("in home: nothing leaves")
        ana.screen.press("Esc")
        // when: the city
        command(ana, ":zone home 300m city")
        await ana.screen.waitFor("only the city in home")
        let isCity = await eventually { await precision(seenBy: duo) == .approximate10km }
        #expect(isCity)
        // when: it is removed
        command(ana, ":zone off home")
        await ana.screen.waitFor("The zone home is removed.")
        await ana.screen.waitFor("shared with 1 · 1 precise")
        await ana.screen.waitUntil { !ana.screen.contains("◌") }
        command(ana, ":zone off home")
        await ana.screen.waitFor("You have no zone called home.")
      }
    }
  }

  @Test(arguments: [":hours", ":share"])
  func `hours are typed, listed and removed`(verb: String) async throws {
    try await TestServer.with { server in
      try await shared(on: server) { ana, _ in
        // Over at this time of every day, by the clock of this machine.
        let now = WireTime.now.microseconds / 1_000_000 + Int64(TimeZone.current.secondsFromGMT())
        let hour = now / 3600 % 24
        let (from, to) = ((hour + 3) % 24, (hour + 4) % 24)
        command(ana, "\(verb) work \(from)-\(to == 0 ? 24 : to)")
        await ana.screen.waitFor("work: your position is shared mon-sun ")
        await ana.screen.waitFor("shared with 1 · held back until ")
        command(ana, ":hours")
        await ana.screen.waitFor("Zones and hours")
        await ana.screen.waitFor("outside of your hours until ")
        ana.screen.press("x")
        await ana.screen.waitFor("The hours work are removed.")
        await ana.screen.waitFor("None: what friends may see leaves from everywhere")
        ana.screen.press("Esc")
        await ana.screen.waitFor("shared with 1 · 1 precise")
      }
    }
  }

  @Test func `the phones' sheet offers to keep zones with the account`() async throws {
    try await TestServer.with { server in
      try await shared(on: server) { ana, _ in
        command(ana, ":zone home 300m")
        await ana.screen.waitFor("held back in home")
        command(ana, ":phones")
        await ana.screen.waitFor("Your zones and hours are kept on this machine")
        ana.screen.press("a")
        let rules = ana.session.services.privacyRulesService
        await ana.screen.waitUntil { rules.kept.account != nil }
        await ana.screen.waitUntil { !ana.screen.contains("are kept on this machine") }
        #expect(rules.kept.account?.zones.map(\.name) == ["home"])
        ana.screen.press("Esc")
        command(ana, ":zones")
        await ana.screen.waitFor("Kept with your account")
        ana.screen.press("A")
        await ana.screen.waitFor("Kept on this machine: they hold for no phone.")
        #expect(rules.kept.account == nil && rules.kept.own.zones.map(\.name) == ["home"])
      }
    }
  }

  @Test func `a zone that the command line makes holds in the program at once`() async throws {
    try await TestServer.with { server in
      try await shared(on: server) { ana, _ in
        let verb = AppServices(
          folders: try RallyFolders(data: ana.folder.path, environment: [:]),
          server: ana.session.services.server, broadcastStudio: BroadcastStudio())
        _ = await verb.authService.restoreSession()
        _ = try await verb.privacyRulesService.addZone(
          "home", around: Samples.lisbon, accuracyMetres: nil, distance: 300, allows: .nothing)
        await ana.screen.waitFor("shared with 1 · held back in home")
      }
    }
  }
}
