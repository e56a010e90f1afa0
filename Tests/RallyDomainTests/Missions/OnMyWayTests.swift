import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct OnMyWayTests {
  private static let far = "38.7079,-9.1366"

  /// Ana has a position, shares nothing, and is in a mission of hers with Ben.
  private struct Pair {
    let ana: TestPerson
    let ben: TestPerson
    let mission: Mission
    let store: LocationSharingStore

    @MainActor
    init(on server: TestServer) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      mission = try await ana.makeMission()
      _ = try await ben.missionsService.joinMission(mission.id)
      store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      _ = await store.setHere(OnMyWayTests.far)
    }

    @MainActor
    func begin() async -> Bool {
      await store.setOnMyWay(to: mission.id, readers: [ben.userID]).isDone
    }

    /// A change is fetched after it was made.
    @MainActor
    func says(_ sentence: String) async -> Bool {
      await eventually { store.sharingSentence == sentence }
    }

    func seen() async throws -> LocationRecord? {
      try await ben.locationsService.fetchFriendLocations().first
    }

    /// Whether the other one was told that there is no position.
    func isHidden() async -> Bool {
      do { return try await seen() == nil } catch { return false }
    }
  }

  @Test func `it sends the precise position at once, says who sees it, and ends`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      #expect(try await pair.seen() == nil)
      #expect(await pair.begin())
      #expect(await eventually { (try? await pair.seen())?.precision == .precise })
      #expect(await pair.says("on the way · 1 sees you"))
      let missions = try await pair.ben.makeMissionsStore()
      await missions.refreshAll(mode: .initial)
      #expect(missions.coming.map(\.userID) == [pair.ana.userID])
      #expect(await pair.store.setOnMyWay(to: pair.mission.id, readers: nil).isDone)
      #expect(await pair.says("sharing with nobody"))
      #expect(await eventually { await pair.isHidden() })
    }
  }

  @Test func `the key asks before it shows the way, and ends what it showed`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let missions = try await pair.ana.makeMissionsStore()
      await missions.refreshAll(mode: .initial)
      @MainActor func way(_ provider: CurrentLocationProvider) -> OnMyWay {
        OnMyWay(
          sharing: pair.store, missions: missions, provider: provider, me: pair.ana.userID)
      }
      let here = way(pair.store.currentLocationProvider)
      #expect(here.step(to: pair.mission, at: .now) == .ask)
      #expect(await here.show(pair.mission, to: [pair.ben.userID]).isDone)
      #expect(here.step(to: pair.mission, at: .now) == .end)
      #expect(await here.show(pair.mission, to: nil).isDone)
      #expect(here.step(to: pair.mission, at: .now) == .ask)
      let nowhere = way(
        CurrentLocationProvider(
          authService: pair.ana.authService, persistenceService: PersistenceService()))
      #expect(nowhere.step(to: pair.mission, at: .now) == .locate)
      #expect(await !nowhere.locate())
      pair.store.ghostPhase = .pending
      #expect(here.step(to: pair.mission, at: .now) == .ghost)
    }
  }

  @Test func `who arrived is seen no more, and nothing precise is sent after it`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      #expect(await pair.begin())
      #expect(await pair.says("on the way · 1 sees you"))
      _ = await pair.store.setHere("38.7223,-9.1393")
      #expect(await eventually { await pair.isHidden() })
      await pair.store.refreshAll(mode: .refresh)
      #expect(await pair.says("sharing with nobody"))
      let sent = pair.ana.gate.calls(of: "publish_locations")
      _ = await pair.store.setHere(Self.far)
      #expect(pair.ana.gate.calls(of: "publish_locations") == sent)
      let rows = try await pair.ben.missionsService.fetchComing()
      #expect(rows.first?.arrivedAt != nil)
    }
  }

  @Test func `a ghost is on no way`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      #expect(await pair.begin())
      // A way without a share is one more thing to take away, also when the first try fails.
      pair.ana.gate.fail("end_on_my_way", with: .unreachable("gone"), times: 1)
      #expect(await pair.says("on the way · 1 sees you"))
      await pair.store.goGhost()
      await pair.store.refreshAll(mode: .refresh)
      #expect(await pair.says("ghost"))
      #expect(try await pair.seen() == nil)
      #expect(try await pair.ben.missionsService.fetchComing().isEmpty)
    }
  }

  @Test func `a refusal is presented and shows nothing else`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      _ = try await pair.ana.missionsService.cancelMission(pair.mission.id)
      #expect(await !pair.begin())
      #expect(pair.store.presentedError?.description.contains("was cancelled") == true)
      #expect(pair.store.sharingSentence == "sharing with nobody")
    }
  }
}
