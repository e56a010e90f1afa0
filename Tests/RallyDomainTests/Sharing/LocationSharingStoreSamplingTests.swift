import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// What is measured goes out by the sampling, through the cut, to a real server.
@MainActor
@Suite struct LocationSharingStoreSamplingTests {
  /// Ana, who shares with Ben, and a source that a test feeds.
  private struct Scene {
    let ana: TestPerson
    let ben: TestPerson
    let store: LocationSharingStore
    let provider: CurrentLocationProvider
    let clock = Watched(WireTime.now)

    @MainActor
    init(on server: TestServer, _ mode: SharingMode) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let clock = clock
      provider = CurrentLocationProvider(
        authService: ana.authService, persistenceService: ana.statePersistence,
        sources: [LocationSource(name: "gpsd") { _ in AsyncStream { _ in } }],
        now: { clock.value })
      store = ana.makeLocationSharingStore(
        currentLocationProvider: provider, now: { clock.value })
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: mode)
      await store.refreshAll(mode: .initial)
      provider.receive(.state(.running), of: 0)
    }

    /// The device is measured here, after so many seconds.
    @MainActor
    func measure(_ metres: Double, after seconds: Double) async {
      clock.change { $0 = $0.advanced(by: .seconds(seconds)) }
      provider.receive(
        .fix(
          LocationFix(
            coordinate: Samples.coordinate(
              Samples.lisbon.latitude + metres / 111_195, Samples.lisbon.longitude),
            accuracyMetres: 8, speed: 1.4, recordedAt: clock.value, source: "gpsd")), of: 0)
      await store.currentLocationChanged()
    }

    var published: Int { ana.gate.calls(of: "publish_locations") }

    func seen() async throws -> LocationRecord? {
      try await ben.locationsService.fetchFriendLocations().first
    }
  }

  @Test func `a precise movement goes out once per interval, and standing still not at all`()
    async throws
  {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .precise)
      await scene.measure(0, after: 0)
      #expect(scene.published == 1)
      #expect(scene.store.lastReport?.precision == .precise)
      #expect(scene.store.lastReport?.source == "gpsd")
      // Moving, but too early.
      await scene.measure(20, after: 5)
      #expect(scene.published == 1)
      await scene.measure(40, after: 10)
      #expect(scene.published == 2)
      #expect(try await scene.seen()?.coordinate == scene.provider.coordinate)
      for _ in 0..<20 { await scene.measure(43, after: 20) }
      #expect(scene.published == 2)
    }
  }

  @Test func `while the channel is live no request is sent unless a position waits`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .precise)
      let store = scene.store
      store.setSyncInterval(.seconds(15))
      #expect(store.pace == .seconds(15))
      // when
      store.startSharingRealtimeListener()
      // then
      #expect(await eventually { store.synchronizer.isLive && store.pace == nil })
      await scene.measure(0, after: 0)
      #expect(scene.published == 1)
      #expect(store.pace == nil)
      // Moving, but too early: it goes out at the pace.
      await scene.measure(20, after: 5)
      #expect(scene.published == 1)
      #expect(store.pace == .seconds(15))
      await scene.measure(20, after: 10)
      #expect(scene.published == 2)
      #expect(store.pace == nil)
      // A failure is tried again at the pace.
      scene.ana.gate.fail("publish_locations", with: .http(status: 500), times: 1)
      await scene.measure(60, after: 20)
      #expect(store.pace == .seconds(15))
      scene.clock.change { $0 = $0.advanced(by: .seconds(20)) }
      // On a slow machine the timer's own poll may be under way.
      await store.poll()
      #expect(await eventually { store.pace == nil })
      #expect(try await scene.seen()?.coordinate == scene.provider.coordinate)
      // So is a fetch.
      scene.ana.gate.fail("location_sharing", with: .http(status: 500), times: 1)
      await store.reconcile()
      #expect(store.pace == .seconds(15))
      await store.poll()
      #expect(await eventually { store.pace == nil })
      store.stopSharingRealtimeListener()
      #expect(store.pace == .seconds(15))
    }
  }

  @Test func `a waiting position goes out by itself while the channel is live`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .precise)
      scene.store.setSyncInterval(.seconds(3600))
      scene.store.startSharingRealtimeListener()
      #expect(await eventually { scene.store.synchronizer.isLive && scene.store.pace == nil })
      await scene.measure(0, after: 0)
      scene.store.setSyncInterval(.milliseconds(200))
      await scene.measure(20, after: 0.01)
      #expect(scene.published == 1)
      scene.clock.change { $0 = $0.advanced(by: .seconds(1)) }
      #expect(await eventually { scene.published == 2 })
      scene.store.stopSharingRealtimeListener()
      scene.store.setSyncInterval(nil)
    }
  }

  @Test func `what another client of mine decides is noticed without the timer`() async throws {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .precise)
      let store = scene.store
      store.setSyncInterval(.seconds(3600))
      store.startSharingRealtimeListener()
      #expect(await eventually { store.synchronizer.isLive && store.pace == nil })
      try await scene.ana.locationsService.setLocationSharing(
        userID: scene.ben.userID, mode: .approximate1km)
      #expect(
        await eventually { store.sharing?.mode(for: scene.ben.userID, at: .now) == .approximate1km }
      )
      store.stopSharingRealtimeListener()
      store.setSyncInterval(nil)
    }
  }

  @Test func `a coarse position goes out at once when its cell changes, and only then`()
    async throws
  {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .approximate1km)
      await scene.measure(0, after: 0)
      #expect(scene.published == 1)
      await scene.measure(30, after: 1)
      #expect(scene.published == 1)
      await scene.measure(3000, after: 1)
      #expect(scene.published == 2)
      let report = try #require(scene.ana.gate.bodies(of: "publish_locations").last)
      let sent = try #require(
        WireJSON.decode(PublishLocations.self, from: report).locations.first)
      #expect(sent.coordinate != scene.provider.coordinate)
      #expect(sent.speed == nil)
      #expect(sent.source != "gpsd")
    }
  }

  @Test func `after a failure it waits for the interval instead of trying at every fix`()
    async throws
  {
    try await TestServer.with { server in
      let scene = try await Scene(on: server, .approximate1km)
      scene.ana.gate.goOffline()
      await scene.measure(0, after: 0)
      let tried = scene.published
      await scene.measure(3000, after: 1)
      await scene.measure(6000, after: 1)
      #expect(scene.published == tried)
      scene.ana.gate.goOffline(false)
      await scene.measure(6000, after: 15)
      #expect(scene.published == tried + 1)
    }
  }
}
