import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// What the server gets, and what a friend sees, of somebody with zones and hours.
@MainActor
@Suite struct LocationSharingStorePrivacyTests {
  /// Ana, who shares with Ben, with a receiver that a test feeds and a zone around Lisbon's centre.
  private struct Scene {
    let ana: TestPerson
    let ben: TestPerson
    let rules: PrivacyRulesService
    let provider: CurrentLocationProvider
    let store: LocationSharingStore
    let clock: Watched<WireTime>

    @MainActor
    init(
      on server: TestServer, _ mode: SharingMode = .precise, at time: WireTime = .now
    ) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let clock = Watched(time)
      self.clock = clock
      rules = ana.makePrivacyRulesService { clock.value }
      provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        sources: [LocationSource(name: "gpsd") { _ in AsyncStream { _ in } }],
        now: { clock.value })
      store = ana.makeLocationSharingStore(
        currentLocationProvider: provider, privacyRules: rules, now: { clock.value })
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: mode)
      await store.refreshAll(mode: .initial)
      provider.receive(.state(.running), of: 0)
    }

    /// The device is measured so many metres south of Lisbon's centre, after so many seconds.
    @MainActor
    func measure(_ metres: Double, after seconds: Double = 20) async {
      clock.change { $0 = $0.advanced(by: .seconds(seconds)) }
      provider.receive(
        .fix(
          LocationFix(
            coordinate: Samples.coordinate(
              Samples.lisbon.latitude - metres / 111_195, Samples.lisbon.longitude),
            accuracyMetres: 8, speed: 1.4, recordedAt: clock.value, source: "gpsd")), of: 0)
      await store.currentLocationChanged()
    }

    @MainActor
    func addZone(_ allows: PrivacyZone.Allowance = .nothing) async throws {
      _ = try await rules.addZone(
        "home", around: Samples.lisbon, accuracyMetres: 8, distance: 300, allows: allows)
      await store.publishIfChanged()
    }

    var published: Int { ana.gate.calls(of: "publish_locations") }
    var withdrawn: Int { ana.gate.calls(of: "withdraw_location") }

    func seen() async throws -> LocationRecord? {
      try await ben.locationsService.fetchFriendLocations().first
    }
  }

  @Test func `at home nothing leaves, and the friend sees the last place outside`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      try await scene.addZone()
      await scene.measure(2000)
      #expect(scene.published == 1)
      let outside = try #require(try await scene.seen())
      for metres in [280.0, 200, 0, 0] { await scene.measure(metres) }
      await scene.store.refreshAll(mode: .refresh)
      #expect(scene.published == 1 && scene.withdrawn == 0)
      #expect(try await scene.seen() == outside)
      #expect(scene.store.sharingSentence == "shared with 1 · held back in home")
      // What a person types is held back by the same rule.
      #expect(await scene.store.setHere("38.7224,-9.1392").isDone)
      #expect(scene.published == 1)
      #expect(await scene.store.endHere().isDone)
      await scene.measure(2500)
      #expect(scene.published == 2)
      #expect(scene.store.sharingSentence == "shared with 1 · 1 precise")
    }
  }

  @Test func `a zone around what the server has deletes that there`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      await scene.measure(10)
      #expect(try await scene.seen() != nil)
      try await scene.addZone()
      #expect(scene.withdrawn == 1)
      #expect(try await scene.seen() == nil)
      await scene.measure(12)
      await scene.store.refreshAll(mode: .refresh)
      #expect(scene.published == 1 && scene.withdrawn == 1)
      // What is shared with whom has not changed.
      #expect(scene.store.summary?.sharedCount == 1)
      // The city may leave: it is told anew, and as a city.
      try await scene.addZone(.city)
      #expect(scene.store.sharingSentence == "shared with 1 · only the city in home")
      let seen = try #require(try await scene.seen())
      #expect(seen.precision == .approximate10km)
      #expect(
        seen.coordinate == GridCell(containing: Samples.lisbon, level: .tenKilometres).center)
    }
  }

  @Test func `a zone made elsewhere than the position is deletes nothing`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      await scene.measure(3000)
      try await scene.addZone()
      #expect(scene.withdrawn == 0)
      #expect(try await scene.seen() != nil)
      #expect(!scene.rules.kept.needsWithdrawal)
      // Later moves through it delete nothing either.
      await scene.measure(0)
      #expect(scene.withdrawn == 0)
    }
  }

  @Test func `a zone made offline holds at once, and what the server has goes on return`()
    async throws
  {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      await scene.measure(10)
      scene.ana.gate.goOffline()
      try await scene.addZone()
      await scene.measure(100)
      #expect(scene.rules.kept.needsWithdrawal)
      scene.ana.gate.goOffline(false)
      #expect(try await scene.seen() != nil)
      // Also by the next run of the program.
      let rules = scene.ana.makePrivacyRulesService()
      let restarted = scene.ana.makeLocationSharingStore(privacyRules: rules)
      await restarted.restoreFromCache()
      await restarted.refreshAll(mode: .initial)
      #expect(try await scene.seen() == nil)
      #expect(!rules.kept.needsWithdrawal)
      #expect(scene.published == 1)
    }
  }

  @Test func `outside of the hours nothing leaves, and what was sent stays`() async throws {
    try await TestServer.with { server in
      // given: ten minutes before the end of the hours, which are those of now
      let start = WireTime(microseconds: WireTime.now.microseconds / 3_600_000_000 * 3_600_000_000)
        .advanced(by: .seconds(-600))
      let end = (Int(start.microseconds / 60_000_000) + 10) % 1440
      let scene = try await Scene(on: server, at: start)
      let hours = try SharingHours(
        "now", typed: ["\((end / 60 + 23) % 24)-\(end / 60 == 0 ? 24 : end / 60)"])
      _ = try await scene.rules.addHours(hours, timeZone: .utc)
      await scene.measure(0)
      #expect(scene.published == 1)
      let seen = try await scene.seen()
      // when
      await scene.measure(4000, after: 3000)
      await scene.store.refreshAll(mode: .refresh)
      // then
      #expect(scene.published == 1 && scene.withdrawn == 0)
      #expect(try await scene.seen() == seen)
      #expect(scene.store.sharingSentence.hasPrefix("shared with 1 · held back until "))
      #expect(scene.store.isHeldBack)
      // when: without hours again
      _ = try await scene.rules.removeHours("now")
      await scene.store.publishIfChanged()
      // then
      #expect(scene.published == 2)
    }
  }

  @Test func `nothing is sent before the account's rules are known`() async throws {
    try await TestServer.with { server in
      // given: rules that another machine keeps with the account
      let scene = try await Scene(on: server)
      var rules = PrivacyRules()
      rules.zones = [
        PrivacyZone(name: "home", centre: Samples.lisbon, radiusMetres: 450, allows: .nothing)
      ]
      try await PrivacyService(client: scene.ana.client).setRules(rules)
      // when: this one starts, and the server does not answer that question
      let store = scene.ana.makeLocationSharingStore()
      scene.ana.gate.fail("fetch_privacy_rules", with: .timedOut)
      await store.refreshAll(mode: .initial)
      _ = await store.setHere("38.7223,-9.1393")
      #expect(scene.published == 0)
      // then
      scene.ana.gate.release("fetch_privacy_rules")
      await store.refreshAll(mode: .refresh)
      #expect(scene.published == 0)
      #expect(store.sharingSentence == "shared with 1 · held back in home")
    }
  }

  @Test func `a server that keeps no rules is used as before`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      let missing = FunctionFailure(
        code: "PGRST202", message: "Could not find the function public.fetch_privacy_rules")
      scene.ana.gate.fail("fetch_privacy_rules", with: .refused(missing, status: 404))
      let store = scene.ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      _ = await store.setHere("38.7223,-9.1393")
      #expect(scene.published == 1)
    }
  }

  @Test func `commands are answered with what holds, or with what to type`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      guard case .failure = await scene.store.addZone(["home", "300m"]) else {
        Issue.record("a zone around nowhere")
        return
      }
      await scene.measure(0)
      let made = try await scene.store.addZone(["home", "300m"]).get()
      #expect(made.hasPrefix("home: nothing leaves within 300 m of 38.72"))
      #expect(
        try await scene.store.addZone(["Office", "2km", "city", "at", "38.8,-9.2"]).get()
          == "office: only the city leaves within 2 km of 38.8000, -9.2000.")
      #expect(
        try await scene.store.addHours(["work", "mon-fri", "9-18"]).get()
          == "work: your position is shared mon-fri 09:00-18:00 only.")
      #expect(
        try await scene.store.removeZone("office").get() == "The zone office is removed.")
      #expect(try await scene.store.removeHours("work").get() == "The hours work are removed.")
      for words in [[], ["off"], ["home", "5m"], ["home", "300m", "at"], ["home", "town"]] {
        #expect(throws: FieldProblem.self) { try ZoneRequest(words) }
      }
    }
  }
}
