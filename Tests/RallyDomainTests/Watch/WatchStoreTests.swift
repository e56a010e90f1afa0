import Foundation
import FoundationNetworking
import RallyClient
import RallyServer
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

@testable import RallyDomain

/// A link to watch, from what the terminal knows to what a page opens, on a real server.
@MainActor
@Suite struct WatchStoreTests {
  /// Ana, whose receiver a test feeds, with a clock that it moves.
  private struct Scene {
    let server: TestServer
    let ana: TestPerson
    let sharing: LocationSharingStore
    let rules: PrivacyRulesService
    let provider: CurrentLocationProvider
    let store: WatchStore
    let clock = Watched(WireTime.now)

    @MainActor
    init(
      on server: TestServer,
      ground: @escaping @Sendable (GridCell) async -> WatchGround? = { _ in nil }
    ) async throws {
      self.server = server
      ana = try await TestPerson(signingUp: "ana", on: server)
      let clock = clock
      provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        sources: [LocationSource(name: "gpsd") { _ in AsyncStream { _ in } }],
        now: { clock.value })
      rules = ana.makePrivacyRulesService()
      await rules.restore()
      try await rules.fetchAccount()
      sharing = ana.makeLocationSharingStore(
        currentLocationProvider: provider, privacyRules: rules, now: { clock.value })
      provider.receive(.state(.running), of: 0)
      store = WatchStore(
        watchService: WatchService(client: ana.client), authService: ana.authService,
        serverHealthService: ServerHealthService(client: ana.client),
        profileService: ana.profileService, persistenceService: ana.statePersistence,
        sharing: sharing,
        places: PlaceFinder(
          find: { _ in [] },
          nearest: { _ in Place(name: "Lisbon", coordinate: Samples.lisbon) }),
        ground: ground, now: { clock.value })
    }

    /// The device is measured so far north of Lisbon's middle.
    @MainActor
    func measure(_ metres: Double = 0) {
      provider.receive(
        .fix(
          LocationFix(
            coordinate: Samples.coordinate(
              Samples.lisbon.latitude + metres / 111_195, Samples.lisbon.longitude),
            accuracyMetres: 8, speed: 1.4, course: 45, recordedAt: clock.value, source: "gpsd")),
        of: 0)
    }

    @MainActor
    func make(_ mode: SharingMode = .precise) async throws -> WatchAddress {
      let link = try #require(
        await store.makeLink(mode, until: clock.value.advanced(by: .seconds(3600))).value)
      let fragment = try #require(link.address?.split(separator: "#").last)
      #expect(link.address?.hasPrefix("https://rally.example.test/w#") == true)
      return try #require(WatchAddress(fragment: fragment))
    }

    func wait(_ seconds: Int) { clock.change { $0 = $0.advanced(by: .seconds(seconds)) } }

    /// What a page reads; nil for a link that is not open.
    func state(of link: WatchAddress) async throws -> WatchState? {
      let url = try #require(URL(string: "\(server.url)/w/\(link.id)"))
      let (data, answer) = try await URLSession.shared.data(from: url)
      guard (answer as? HTTPURLResponse)?.statusCode == 200 else { return nil }
      return try WireJSON.decode(WatchState.self, from: data)
    }

    func place(of link: WatchAddress) async throws -> WatchPlace? {
      try await state(of: link)?.place.flatMap { try WatchPlace($0, of: link) }
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      try await body(Scene(on: $0))
    }
  }

  @Test func `a precise link shows what was measured, at each beat, moved or not`() async throws {
    try await withScene { scene in
      scene.measure()
      let link = try await scene.make()
      let first = try #require(try await scene.place(of: link))
      #expect(first.name == "Ana" && first.near == "in Lisbon" && first.mode == .precise)
      #expect(first.coordinate == Samples.lisbon && first.speed == 1.4 && first.course == 45)
      #expect(scene.sharing.links.map(\.linkID) == [link.id])
      scene.wait(30)
      await scene.store.feedNow()
      let second = try #require(try await scene.state(of: link)?.place)
      #expect(second.counter == 2)
      #expect(try WatchPlace(second, of: link)?.recordedAt == first.recordedAt)
      scene.measure(200)
      await scene.store.feedNow()
      #expect(try await scene.place(of: link)?.coordinate != Samples.lisbon)
    }
  }

  @Test func `a coarse link carries its cell and the quarter hour, and nothing finer`()
    async throws
  {
    try await withScene { scene in
      scene.measure(30)
      for mode in [SharingMode.approximate1km, .approximate10km] {
        let link = try await scene.make(mode)
        let place = try #require(try await scene.place(of: link))
        let level = try #require(mode.gridLevel)
        let cell = GridCell(containing: try #require(scene.provider.fix).coordinate, level: level)
        #expect(place.coordinate == cell.center)
        #expect(place.accuracyMetres == level.accuracyMetres)
        #expect(place.recordedAt == scene.clock.value.quarterHour)
        #expect(place.speed == nil && place.course == nil)
      }
    }
  }

  @Test func `a phone's link begins with the name alone, and is fed by no terminal`() async throws {
    try await withScene { scene in
      scene.measure()
      let until = scene.clock.value.advanced(by: .seconds(3600))
      let outcome = await scene.store.makeLink(.precise, until: until, isFromPhone: true)
      let made = try #require(outcome.value)
      let parts = try #require(made.phoneAddress?.split(separator: ".").last)
      #expect(AccessSecret(parts) != nil)
      #expect(made.phoneAddress == made.address.map { "\($0).\(parts)" })
      let fragment = try #require(made.address?.split(separator: "#").last)
      let link = try #require(WatchAddress(fragment: fragment))
      let place = try #require(try await scene.place(of: link))
      #expect(place.name == "Ana" && place.until == until && place.coordinate == nil)
      #expect(scene.store.links.map(\.record.isFromPhone) == [true])
      #expect(!scene.store.isFeeding)
      let calls = scene.ana.gate.calls(of: "feed_watch_link")
      await scene.store.feedNow()
      #expect(scene.ana.gate.calls(of: "feed_watch_link") == calls)
      // The cells of a coarse link are a terminal's.
      for mode in [SharingMode.approximate1km, .approximate10km] {
        guard case .invalid = await scene.store.makeLink(mode, until: until, isFromPhone: true)
        else {
          Issue.record("a phone feeds a coarse link")
          return
        }
      }
    }
  }

  @Test func `a phone's link that nobody was told of is ended`() async throws {
    try await withScene { scene in
      scene.ana.gate.fail("feed_watch_link", with: .connectionLost)
      let until = scene.clock.value.advanced(by: .seconds(3600))
      guard case .refused = await scene.store.makeLink(.precise, until: until, isFromPhone: true)
      else {
        Issue.record("it was made")
        return
      }
      await scene.store.refresh()
      #expect(scene.store.links.isEmpty)
    }
  }

  @Test func `what a person waits for is presented when it fails, a refresh is not`() async throws {
    try await withScene { scene in
      _ = try await scene.make()
      scene.ana.gate.goOffline()
      guard case .refused = await scene.store.endLinks() else {
        Issue.record("it has ended")
        return
      }
      #expect(scene.store.presentedError?.title == "The link has not ended")
      #expect(scene.store.presentedError?.isOffline == true)
      #expect(scene.store.links.count == 1)
      scene.store.presentedError = nil
      await scene.store.refresh()
      #expect(scene.store.presentedError == nil)
      #expect(scene.store.links.count == 1)
    }
  }

  @Test func `quitting ends what this terminal feeds, and nothing else`() async throws {
    try await withScene { scene in
      scene.measure()
      let link = try await scene.make()
      let until = scene.clock.value.advanced(by: .seconds(3600))
      let phone = try #require(
        await scene.store.makeLink(.precise, until: until, isFromPhone: true).value)
      await scene.store.endFed()
      #expect(try await scene.state(of: link) == nil)
      #expect(scene.store.links.map(\.id) == [phone.id])
      // A server that does not answer holds nobody back.
      _ = try await scene.make()
      scene.ana.gate.hold("end_watch_links")
      defer { scene.ana.gate.release("end_watch_links") }
      await scene.store.endFed(within: .milliseconds(50))
      #expect(scene.store.isFeeding)
    }
  }

  @Test func `what a phone reported is in no link`() async throws {
    try await withScene { scene in
      scene.provider.receive(
        LocationFix(
          coordinate: Samples.lisbon, accuracyMetres: 5, recordedAt: scene.clock.value,
          source: "owntracks"))
      #expect(scene.provider.fix != nil)
      let link = try await scene.make()
      #expect(try await scene.place(of: link)?.coordinate == nil)
    }
  }

  @Test func `in a zone the last place before it is repeated, with its old time`() async throws {
    try await withScene { scene in
      scene.measure(5000)
      let link = try await scene.make()
      let before = try #require(try await scene.place(of: link))
      _ = try await scene.rules.addZone(
        "Home", around: Samples.lisbon, accuracyMetres: 10, distance: 300, allows: .nothing)
      scene.wait(600)
      scene.measure()
      await scene.store.feedNow()
      let state = try #require(try await scene.state(of: link)?.place)
      let place = try #require(try WatchPlace(state, of: link))
      #expect(state.counter == 2)
      #expect(place.coordinate == before.coordinate && place.recordedAt == before.recordedAt)
      #expect(place.sentAt == scene.clock.value)
    }
  }

  @Test func `a ghost feeds nothing, and the server ends the links`() async throws {
    try await withScene { scene in
      scene.measure()
      let link = try await scene.make()
      #expect(await scene.sharing.goGhost().isDone)
      #expect(try await scene.state(of: link) == nil)
      let calls = scene.ana.gate.calls(of: "feed_watch_link")
      await scene.store.feedNow()
      #expect(scene.ana.gate.calls(of: "feed_watch_link") == calls)
      await scene.store.refresh()
      #expect(scene.store.links.isEmpty && !scene.store.isFeeding)
      guard case .invalid = await scene.store.makeLink(.precise, until: scene.clock.value) else {
        Issue.record("a ghost made a link")
        return
      }
    }
  }

  @Test func `without https a sentence says why there is no link`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server)
      let outcome = await scene.store.makeLink(
        .precise, until: scene.clock.value.advanced(by: .seconds(60)))
      #expect(outcome.problem?.advice.contains("--public-url") == true)
      #expect(scene.ana.gate.calls(of: "make_watch_link") == 0)
    }
  }

  @Test func `the ground is sealed once for each cell, and again when it was lost`() async throws {
    try await TestServer.with(configure: { $0.publicURL = "https://rally.example.test" }) {
      server in
      let scene = try await Scene(on: server) { cell in
        var ground = WatchGround(around: cell.center, unit: 1)
        _ = ground.add(.init(kind: .road, points: [SIMD2(0, 0), SIMD2(100, 100)]))
        return ground
      }
      scene.measure()
      let link = try await scene.make()
      let first = try #require(try await scene.state(of: link)?.ground)
      #expect(first.opened(as: .ground, of: link) != nil)
      #expect(try await scene.place(of: link)?.ground == first.counter)
      await scene.store.feedNow()
      #expect(try await scene.state(of: link)?.ground == first)
      scene.measure(3000)
      scene.ana.gate.fail("feed_watch_link", with: .connectionLost)
      await scene.store.feedNow()
      scene.ana.gate.release("feed_watch_link")
      await scene.store.feedNow()
      let second = try #require(try await scene.state(of: link)?.ground)
      #expect(second.counter > first.counter)
      #expect(try await scene.place(of: link)?.ground == second.counter)
    }
  }
}
