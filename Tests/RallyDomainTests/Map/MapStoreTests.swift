import Foundation
import RallyEnvironment
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct MapStoreTests {
  /// Ana and Ben are friends; Ana shares precisely and is in Lisbon.
  private struct Pair {
    let ana: TestPerson
    let ben: TestPerson

    init(on server: TestServer, mode: SharingMode = .precise) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      try await ana.locationsService.setLocationSharing(userID: nil, mode: mode)
      try await move(to: Samples.lisbon)
    }

    func move(to place: Coordinate) async throws {
      try await ana.locationsService.publishLocations([
        LocationReport(coordinate: place, recordedAt: .now, source: "manual")
      ])
    }
  }

  // MARK: - Refresh

  @Test func `a first refresh shows friends where they let me see them`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      #expect(store.loadState == .loading)
      await store.refreshAll(mode: .initial)
      #expect(store.loadState == .loaded)
      // Positions wait for the names that belong to them.
      #expect(store.positions.isEmpty)
      store.updateFriends(try await pair.ben.friends())
      #expect(store.positions.map(\.profile.username) == ["ana"])
      #expect(store.position(of: pair.ana.userID)?.coordinate == Samples.lisbon)
      store.updateFriends([])
      #expect(store.positions.isEmpty)
    }
  }

  @Test func `a friend is shown once they are seen, unless something else was selected`()
    async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let (store, other) = (pair.ben.makeMapStore(), pair.ben.makeMapStore())
      let friends = try await pair.ben.friends()
      for store in [store, other] { store.showFriendOnceSeen(pair.ana.userID) }
      #expect(store.focus == nil)
      other.select(pin: .mission(UUID()))
      for store in [store, other] {
        await store.refreshAll(mode: .initial)
        store.updateFriends(friends)
      }
      #expect(store.selectedID == pair.ana.userID)
      #expect(store.focus?.target == .place(Samples.lisbon))
      #expect(other.focus == nil)
    }
  }

  @Test func `a refresh that fails keeps the pins and says so`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      await store.refreshAll(mode: .initial)
      pair.ben.gate.goOffline()
      await store.refreshAll(mode: .refresh)
      guard case .failed(let failure) = store.loadState else {
        Issue.record("expected a failure, found \(store.loadState)")
        return
      }
      #expect(store.presentedError == failure)
      #expect(store.positions.count == 1)
    }
  }

  @Test func `the first frame shows what was seen last, even offline`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      let friends = try await pair.ben.friends()
      store.updateFriends(friends)
      await store.refreshAll(mode: .initial)
      await store.saveState()
      pair.ben.gate.goOffline()
      let restarted = pair.ben.makeMapStore()
      await restarted.restoreFromCache()
      restarted.updateFriends(friends)
      #expect(restarted.positions == store.positions)
      #expect(restarted.asOf == store.asOf)
      #expect(restarted.loadState == .refreshing)
      #expect(restarted.trails.isEmpty)
    }
  }

  // MARK: - Realtime

  @Test func `one moves, the other's map follows`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.startLocationsRealtimeListener()
      #expect(await eventually { store.isRealtimeLive && store.positions.count == 1 })
      let fetches = pair.ben.gate.calls(of: "fetch_friend_locations")
      store.follow(.friend(pair.ana.userID))
      #expect(store.centre == Samples.lisbon)
      try await pair.move(to: Samples.porto)
      #expect(await eventually { store.positions.first?.coordinate == Samples.porto })
      #expect(store.centre == Samples.porto)
      #expect(store.trails[pair.ana.userID] == [Samples.lisbon, Samples.porto])
      // The row itself came: nothing had to be asked for.
      #expect(pair.ben.gate.calls(of: "fetch_friend_locations") == fetches)
      store.stopLocationsRealtimeListener()
      #expect(!store.isRealtimeLive)
    }
  }

  @Test func `who goes ghost leaves the other's map`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server, mode: .approximate1km)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.startLocationsRealtimeListener()
      #expect(await eventually { store.positions.count == 1 })
      store.select(pair.ana.userID)
      try await pair.ana.ghostService.begin()
      _ = try await pair.ana.ghostService.complete()
      #expect(await eventually { store.positions.isEmpty })
      #expect(store.selectedID == nil)
      store.stopLocationsRealtimeListener()
    }
  }

  @Test func `what happened during a gap is fetched after it`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.startLocationsRealtimeListener()
      #expect(await eventually { store.isRealtimeLive && store.positions.count == 1 })
      pair.ben.gate.goOffline()
      #expect(await eventually { !store.isRealtimeLive })
      try await pair.move(to: Samples.porto)
      pair.ben.gate.goOffline(false)
      await pair.ben.client.realtime?.retryNow()
      #expect(await eventually { store.positions.first?.coordinate == Samples.porto })
      store.stopLocationsRealtimeListener()
    }
  }

  // MARK: - Pace

  @Test func `without realtime a visible map asks at its pace, a hidden one not at all`()
    async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.setSyncInterval(.milliseconds(20))
      #expect(store.pace == nil)
      #expect(pair.ben.gate.calls(of: "fetch_friend_locations") == 0)
      store.setVisible(true)
      #expect(store.pace == .milliseconds(20))
      #expect(await eventually { store.positions.first?.coordinate == Samples.lisbon })
      try await pair.move(to: Samples.porto)
      #expect(await eventually { store.positions.first?.coordinate == Samples.porto })
      #expect(pair.ben.gate.openedSockets == 0)
      store.setVisible(false)
      #expect(store.pace == nil)
    }
  }

  @Test func `a constrained policy leaves the channel and polls, a normal one joins again`()
    async throws
  {
    try await TestServer.with { server in
      // given: a map that is looked at, and a policy that decides
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.setVisible(true)
      let policy = RuntimePolicyCoordinator()
      let coordinator = SyncCoordinator()
      let directives = coordinator.directives()
      let carrying = Task {
        for await directive in directives {
          switch directive {
          case .joinMapRealtime: store.startLocationsRealtimeListener()
          case .leaveMapRealtime: store.stopLocationsRealtimeListener()
          case .paceMap(let interval): store.setSyncInterval(interval)
          default: break
          }
        }
      }
      coordinator.start(preferences: preferences(policy))
      #expect(await eventually { store.isRealtimeLive && store.positions.count == 1 })
      #expect(store.pace == .seconds(15))
      // when
      policy.isLowPowerModeEnabled = true
      coordinator.policyChanged(preferences(policy))
      // then
      let topic = RealtimeTopic.locations
      #expect(await pair.ben.gate.wasSent { $0.topic == topic && $0.event == .leave })
      #expect(await eventually { store.pace == .seconds(45) })
      #expect(!store.isRealtimeLive)
      policy.isLowPowerModeEnabled = false
      coordinator.policyChanged(preferences(policy))
      #expect(
        await pair.ben.gate.wasSent(times: 2) { $0.topic == topic && $0.event == .join })
      #expect(await eventually { store.isRealtimeLive })
      try await pair.move(to: Samples.porto)
      #expect(await eventually { store.positions.first?.coordinate == Samples.porto })
      carrying.cancel()
      store.stopLocationsRealtimeListener()
    }
  }

  private func preferences(_ policy: RuntimePolicyCoordinator) -> SyncPreferences {
    SyncPreferences(
      shouldEnableSocialRealtime: policy.shouldEnableSocialRealtime,
      shouldEnableMapRealtime: policy.shouldEnableMapRealtime,
      syncInterval: policy.mapSyncInterval)
  }

  @Test func `a map that becomes visible again asks for what was missed`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = pair.ben.makeMapStore()
      store.updateFriends(try await pair.ben.friends())
      store.setSyncInterval(.seconds(45))
      await store.refreshAll(mode: .initial)
      try await pair.move(to: Samples.porto)
      store.setVisible(true)
      #expect(await eventually { store.positions.first?.coordinate == Samples.porto })
      store.setVisible(false)
    }
  }

  // MARK: - Looking

  @Test func `pins are gone through by their distance from me`() async throws {
    let (store, provider) = try await offlineStore(
      [
        Samples.location(of: 1, at: Samples.porto), Samples.location(of: 2),
        Samples.location(of: 3, recordedAt: .now.advanced(by: .seconds(-48 * 3600))),
      ])
    #expect(store.positions.count == 3)
    // Nowhere: in the order of the list; a day-old precise position is on no map.
    let now = WireTime.now
    #expect(store.positionsByDistance(at: now).map(\.id) == [Samples.id(1), Samples.id(2)])
    try await provider.setManual(Samples.coordinate(38, -9))
    #expect(store.positionsByDistance(at: now).map(\.id) == [Samples.id(2), Samples.id(1)])
    store.selectNeighbour(by: 1)
    #expect(store.selectedID == Samples.id(2))
    store.selectNeighbour(by: 1)
    store.selectNeighbour(by: 1)
    #expect(store.selectedID == Samples.id(2))
    store.selectNeighbour(by: -1)
    #expect(store.selectedID == Samples.id(1))
  }

  @Test func `missions come after the people, and one of the two is selected at a time`()
    async throws
  {
    let (store, _) = try await offlineStore([Samples.location(of: 1)])
    let missions = [Samples.id(50), Samples.id(51)]
    store.selectNeighbour(by: 1, missions: missions)
    #expect(store.selection == .friend(Samples.id(1)))
    store.selectNeighbour(by: 1, missions: missions)
    #expect(store.selectedMissionID == Samples.id(50))
    #expect(store.selectedID == nil)
    store.selectNeighbour(by: 2, missions: missions)
    #expect(store.selection == .friend(Samples.id(1)))
    store.selectNeighbour(by: -1, missions: missions)
    #expect(store.selection == .mission(Samples.id(51)))
  }

  @Test func `showing a mission selects it and asks for a view of the whole of its place`()
    async throws
  {
    let (store, _) = try await offlineStore([])
    let mission = try #require(Mission(Samples.mission(1)))
    store.showMission(mission)
    #expect(store.selection == .mission(mission.id))
    guard case .all(let corners)? = store.focus?.target else {
      Issue.record("the map was asked for something else")
      return
    }
    #expect(corners.count == 4)
    for corner in corners {
      let distance = mission.centre.distance(to: corner)
      #expect(abs(distance - max(mission.radiusMetres, 300)) < 5)
    }
  }

  @Test func `showing a friend selects them and comes as near as is known`() async throws {
    let (store, _) = try await offlineStore([
      Samples.location(of: 1), Samples.location(of: 2, precision: .approximate10km),
    ])
    store.follow(.me)
    #expect(store.showFriend(Samples.id(1)))
    #expect(store.selectedID == Samples.id(1))
    #expect(store.focus?.target == .place(Samples.lisbon))
    #expect(store.focus?.scale == .street)
    #expect(store.following == nil)
    let revision = store.focus?.revision
    #expect(store.showFriend(Samples.id(2)))
    #expect(store.focus?.scale == .city)
    #expect(store.focus?.revision != revision)
    #expect(!store.showFriend(Samples.id(9)))
  }

  @Test func `following me moves the centre with me`() async throws {
    let (store, provider) = try await offlineStore([])
    try await provider.setManual(Samples.lisbon)
    store.follow(.me)
    #expect(store.centre == Samples.lisbon)
    try await provider.setManual(Samples.porto)
    store.currentLocationChanged()
    #expect(store.centre == Samples.porto)
    store.follow(nil)
    try await provider.setManual(Samples.lisbon)
    store.currentLocationChanged()
    #expect(store.centre == Samples.porto)
  }

  @Test func `the fallback store starts nothing and fails in silence`() async {
    let store = EnvironmentValues().mapStore
    await store.refreshAll(mode: .initial)
    store.startLocationsRealtimeListener()
    #expect(store.positions.isEmpty)
    #expect(store.presentedError == nil)
    store.stopLocationsRealtimeListener()
  }

  // MARK: - Given

  /// A store whose server said this once; the friends are those with a position.
  private func offlineStore(
    _ rows: [LocationRecord]
  ) async throws -> (MapStore, CurrentLocationProvider) {
    let folder = try TemporaryFolder()
    let tokens = TokenStore(folder: folder.path, server: "fake")
    try tokens.save(Samples.session(user: Samples.id(99), at: .now))
    let gate = TransportGate(over: nil)
    let rows = rows.map { row in
      var row = row
      if row.recordedAt == Samples.time { row.recordedAt = .now }
      return row
    }
    gate.answer(
      "fetch_friend_locations", HTTPAnswer(status: 200, body: try WireJSON.encode(rows)))
    let address = ServerAddress(
      endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "key")
    let client = SupabaseClient(
      tokens: tokens, transport: gate.transport,
      prepare: { [folder] in
        _ = folder
        return address
      })
    let provider = CurrentLocationProvider(
      authService: AuthService(client: client),
      persistenceService: PersistenceService(folder: folder.file("location")))
    let store = MapStore(
      authService: AuthService(client: client),
      locationsService: LocationsService(client: client),
      locationsRealtimeService: LocationsRealtimeService(client: client),
      persistenceService: PersistenceService(), currentLocationProvider: provider)
    store.updateFriends((1...3).map { Samples.friend($0) })
    await store.refreshAll(mode: .initial)
    return (store, provider)
  }
}
