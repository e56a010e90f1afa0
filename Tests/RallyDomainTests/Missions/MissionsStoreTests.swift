import Foundation
import RallyClient
import RallyEnvironment
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct MissionsStoreTests {
  /// Ana and Ben are friends; Ana has made a mission.
  private struct Pair {
    let ana: TestPerson
    let ben: TestPerson
    let mission: Mission

    init(on server: TestServer, capacity: Int? = nil) async throws {
      ana = try await TestPerson(signingUp: "ana", on: server)
      ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      mission = try await ana.makeMission(capacity: capacity)
    }
  }

  // MARK: - Refresh

  @Test func `a first refresh fills the three lists`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let over = try await pair.ana.makeMission(title: "Fog run")
      _ = try await pair.ana.missionsService.cancelMission(over.id)
      let store = try await pair.ana.makeMissionsStore(at: Samples.lisbon)
      #expect(store.loadState == .loading)
      await store.refreshAll(mode: .initial)
      #expect(store.loadState == .loaded)
      #expect(store.active.map(\.title) == ["Lanterns"])
      #expect(store.done.map(\.title) == ["Fog run"])
      #expect(store.nearby.map(\.id) == [pair.mission.id])
      #expect(store.nearbyState == .within(50_000))
      #expect(store.userID == pair.ana.userID)
      #expect(store.asOf != nil)
    }
  }

  @Test func `a friend's name that comes during the first fetch is in the missions`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      _ = try await pair.ben.missionsService.joinMission(pair.mission.id)
      var ben = try #require(try await pair.ana.friendsService.fetchFriends().rows.first)
      let store = try await pair.ana.makeMissionsStore()
      store.updateFriends([ben])
      // given: an answer with the former name is under way
      pair.ana.gate.holdAnswers("fetch_missions")
      let first = Task { await store.refreshAll(mode: .initial) }
      #expect(await pair.ana.gate.isHeld("fetch_missions"))
      // when
      ben.displayName = "Zoë"
      store.updateFriends([ben])
      pair.ana.gate.release("fetch_missions")
      await first.value
      // then
      let names = store.active.first?.members.map(\.displayName) ?? []
      #expect(names.sorted() == ["Ana", "Zoë"])
    }
  }

  @Test func `a refresh that fails keeps the lists and says so once`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ana.makeMissionsStore()
      await store.refreshAll(mode: .initial)
      pair.ana.gate.goOffline()
      await store.refreshAll(mode: .refresh)
      // Where nobody looks, the tab that is looked at says that the network is gone.
      #expect(store.presentedError == nil)
      store.setVisible(true)
      // Being seen fetches by itself, and may overtake the first one by hand.
      #expect(
        await eventually {
          await store.refreshAll(mode: .refresh)
          return store.presentedError != nil
        })
      #expect(await eventually { if case .failed = store.loadState { true } else { false } })
      #expect(store.active.count == 1)
    }
  }

  @Test func `the first frame shows what was seen last, even offline`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ana.makeMissionsStore(at: Samples.lisbon)
      await store.refreshAll(mode: .initial)
      await store.saveState()
      pair.ana.gate.goOffline()
      let restarted = try await pair.ana.makeMissionsStore()
      await restarted.restoreFromCache()
      #expect(restarted.active == store.active)
      #expect(restarted.nearby == store.nearby)
      #expect(restarted.asOf == store.asOf)
      #expect(restarted.userID == pair.ana.userID)
      #expect(restarted.loadState == .refreshing)
    }
  }

  @Test func `of refreshes that overlap only the newest commits`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ana.makeMissionsStore()
      pair.ana.gate.hold("fetch_missions")
      async let first: Void = store.refreshAll(mode: .initial)
      #expect(await pair.ana.gate.isHeld("fetch_missions", count: 2))
      async let second: Void = store.refreshAll(mode: .refresh)
      #expect(await pair.ana.gate.isHeld("fetch_missions", count: 4))
      pair.ana.gate.release("fetch_missions")
      _ = await (first, second)
      #expect(store.loadState == .loaded)
      #expect(store.active.count == 1)
    }
  }

  // MARK: - Nearby

  @Test func `a position that comes during the first fetch is looked around`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let provider = pair.ben.makeCurrentLocationProvider()
      let store = pair.ben.makeMissionsStore(currentLocationProvider: provider)
      pair.ben.gate.holdAnswers("fetch_missions")
      async let first: Void = store.refreshAll(mode: .initial)
      #expect(await pair.ben.gate.isHeld("fetch_missions"))
      // when
      try await provider.setManual(Samples.coordinate(38.7301, -9.1501))
      store.currentLocationChanged()
      pair.ben.gate.release("fetch_missions")
      await first
      // then
      #expect(store.nearby.map(\.id) == [pair.mission.id])
    }
  }

  @Test func `nearby needs a position, and then asks only for its square`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let provider = pair.ben.makeCurrentLocationProvider()
      let store = pair.ben.makeMissionsStore(currentLocationProvider: provider)
      await store.refreshAll(mode: .initial)
      #expect(store.nearbyState == .noPosition)
      #expect(store.nearby.isEmpty)
      // when
      try await provider.setManual(Samples.coordinate(38.7301, -9.1501))
      store.currentLocationChanged()
      #expect(store.nearbyState == .within(50_000))
      #expect(await eventually { store.nearby.map(\.id) == [pair.mission.id] })
      let sent = pair.ben.gate.bodies(of: "fetch_missions")
      #expect(!sent.contains { String(decoding: $0, as: UTF8.self).contains("38.7301") })
      // A step within the square asks nothing.
      let calls = sent.count
      try await provider.setManual(Samples.coordinate(38.7302, -9.1502))
      store.currentLocationChanged()
      await store.refreshAll(mode: .refresh)
      #expect(pair.ben.gate.calls(of: "fetch_missions") == calls + 3)
    }
  }

  @Test func `widening doubles the radius until something is near`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      // 274 km from the mission.
      let store = try await pair.ben.makeMissionsStore(at: Samples.porto)
      await store.refreshAll(mode: .initial)
      #expect(store.nearby.isEmpty)
      for radius in [100_000.0, 200_000, 400_000] {
        await store.widenNearby()
        #expect(store.nearbyState == .within(radius))
      }
      #expect(store.nearby.map(\.id) == [pair.mission.id])
      for _ in 0..<9 { await store.widenNearby() }
      #expect(store.nearbyState == .within(FetchMissions.radii.upperBound))
    }
  }

  // MARK: - Being in it

  @Test func `joining shows once it is confirmed by the server's answer`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ben.makeMissionsStore(at: Samples.lisbon)
      await store.refreshAll(mode: .initial)
      #expect(store.active.isEmpty)
      pair.ben.gate.hold("join_mission")
      let joining = Task { await store.join(pair.mission.id) }
      #expect(await pair.ben.gate.isHeld("join_mission"))
      #expect(store.inFlightIDs == [pair.mission.id])
      #expect(store.active.isEmpty)
      // A second press, and the end of the screen that began it, change nothing.
      #expect(await store.join(pair.mission.id) == .notStarted)
      joining.cancel()
      pair.ben.gate.release("join_mission")
      #expect(await joining.value.value??.myState == .joined)
      #expect(store.inFlightIDs.isEmpty)
      #expect(store.active.map(\.id) == [pair.mission.id])
      #expect(store.nearby.first?.myState == .joined)
      #expect(pair.ben.gate.calls(of: "join_mission") == 1)
      #expect(store.presentedError == nil)
    }
  }

  @Test func `a mission that is full says so and stays as it was`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server, capacity: 1)
      let store = try await pair.ben.makeMissionsStore(at: Samples.lisbon)
      await store.refreshAll(mode: .initial)
      let outcome = await store.join(pair.mission.id)
      #expect(outcome == .refused(try #require(store.presentedError)))
      #expect(store.presentedError?.title == "Not joined")
      #expect(store.presentedError?.description.contains("full") == true)
      #expect(store.loadState == .loaded)
      #expect(store.active.isEmpty)
      #expect(store.inFlightIDs.isEmpty)
    }
  }

  @Test func `joining several reports each mission and presents nothing`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let full = try await pair.ana.makeMission(title: "Fog run", capacity: 1)
      let store = try await pair.ben.makeMissionsStore(at: Samples.lisbon)
      await store.refreshAll(mode: .initial)
      let outcome = await store.setMembership([full, pair.mission], byJoining: true)
      #expect(outcome.done.map(\.id) == [pair.mission.id])
      #expect(outcome.failures.map(\.subject.id) == [full.id])
      #expect(outcome.failures.first?.sentence.contains("full") == true)
      #expect(store.presentedError == nil)
    }
  }

  @Test func `leaving shows at once and returns if it fails`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      _ = try await pair.ben.missionsService.joinMission(pair.mission.id)
      let store = try await pair.ben.makeMissionsStore()
      await store.refreshAll(mode: .initial)
      #expect(store.active.count == 1)
      pair.ben.gate.fail("leave_mission", with: .unreachable("no network"), times: 2)
      await store.leave(pair.mission.id)
      #expect(store.active.count == 1)
      #expect(store.presentedError?.title == "Not left")
      pair.ben.gate.release("leave_mission")
      pair.ben.gate.hold("leave_mission")
      let leaving = Task { await store.leave(pair.mission.id) }
      #expect(await pair.ben.gate.isHeld("leave_mission"))
      #expect(store.active.isEmpty)
      // A refresh meanwhile does not bring it back.
      await store.refreshAll(mode: .refresh)
      #expect(store.active.isEmpty)
      pair.ben.gate.release("leave_mission")
      #expect(await leaving.value.isDone)
      #expect(store.active.isEmpty)
      #expect(store.mission(pair.mission.id)?.myState == .left)
    }
  }

  @Test func `who is invited is asked, and sees it as waiting`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let ana = try await pair.ana.makeMissionsStore()
      await ana.refreshAll(mode: .initial)
      ana.updateFriends(try await pair.ana.friends())
      await ana.invite([pair.ben.userID], to: pair.mission.id)
      #expect(
        await eventually {
          ana.mission(pair.mission.id)?.members.contains { $0.userID == pair.ben.userID } == true
        })
      let ben = try await pair.ben.makeMissionsStore()
      await ben.refreshAll(mode: .initial)
      #expect(ben.invitationCount == 1)
      await ben.join(pair.mission.id)
      #expect(ben.invitationCount == 0)
      #expect(ben.mission(pair.mission.id)?.myState == .joined)
    }
  }

  @Test func `completing and cancelling move a mission to what is done`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let other = try await pair.ana.makeMission(title: "Fog run")
      let store = try await pair.ana.makeMissionsStore()
      await store.refreshAll(mode: .initial)
      await store.complete(pair.mission.id)
      #expect(store.active.map(\.title) == ["Fog run"])
      #expect(store.done.map(\.state) == [.completed])
      await store.cancel(other.id)
      #expect(store.active.isEmpty)
      #expect(store.done.map(\.state) == [.cancelled, .completed])
    }
  }

  // MARK: - Making

  @Test func `a mission that is made stands in the list at once`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try await ana.makeMissionsStore()
      await store.refreshAll(mode: .initial)
      let call = CreateMission(title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50)
      // The answer is lost twice: once the client repeats it, then the person does.
      ana.gate.loseAnswer("create_mission", times: 2)
      guard case .failure(.form) = await store.create(call) else {
        Issue.record("expected a failure")
        return
      }
      let mission = try await store.create(call).get()
      #expect(store.active.map(\.id) == [mission.id])
      await store.refreshAll(mode: .refresh)
      #expect(store.active.map(\.id) == [mission.id])
      var change = UpdateMission(missionID: mission.id)
      change.title = "Lanterns of Alfama"
      #expect(try await store.update(change).get().title == "Lanterns of Alfama")
      #expect(store.active.map(\.title) == ["Lanterns of Alfama"])
      // The same text on another day is another mission.
      #expect(try await store.create(call).get().id != mission.id)
    }
  }

  @Test func `what the server does not take is said on the form`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = try await ana.makeMissionsStore()
      let call = CreateMission(title: "", centre: Samples.lisbon, radiusMetres: 50)
      guard case .failure(.form(let advice)) = await store.create(call) else {
        Issue.record("expected a refusal")
        return
      }
      #expect(!advice.isEmpty)
      #expect(store.presentedError == nil)
    }
  }

  // MARK: - Realtime

  @Test func `one joins and says something, the other sees it`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let ana = try await pair.ana.makeMissionsStore()
      ana.startMissionsRealtimeListener()
      #expect(await eventually { ana.isRealtimeLive && ana.active.count == 1 })
      await ana.openFeed(pair.mission.id)
      #expect(ana.feeds[pair.mission.id]?.lines.map(\.kind) == [.created])
      // when
      let ben = try await pair.ben.makeMissionsStore(at: Samples.lisbon)
      await ben.refreshAll(mode: .initial)
      await ben.join(pair.mission.id)
      #expect(await ben.say("left at the stairs", in: pair.mission.id).isDone)
      // then
      #expect(await eventually { ana.active.first?.joined.count == 2 })
      #expect(
        await eventually {
          ana.feeds[pair.mission.id]?.lines.map(\.kind) == [.said, .joined, .created]
        })
      ana.stopMissionsRealtimeListener()
      #expect(!ana.isRealtimeLive)
    }
  }

  @Test func `what happened during a gap is fetched after it`() async throws {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ana.makeMissionsStore()
      store.startMissionsRealtimeListener()
      #expect(await eventually { store.isRealtimeLive && store.active.count == 1 })
      await store.openFeed(pair.mission.id)
      pair.ana.gate.goOffline()
      #expect(await eventually { !store.isRealtimeLive })
      _ = try await pair.ben.missionsService.joinMission(pair.mission.id)
      pair.ana.gate.goOffline(false)
      await pair.ana.client.realtime?.retryNow()
      #expect(await eventually { store.active.first?.joined.count == 2 })
      #expect(await eventually { store.feeds[pair.mission.id]?.lines.count == 2 })
      store.stopMissionsRealtimeListener()
    }
  }

  @Test func `without realtime a visible tab asks at its pace, a hidden one not at all`()
    async throws
  {
    try await TestServer.with { server in
      let pair = try await Pair(on: server)
      let store = try await pair.ana.makeMissionsStore()
      store.setPollInterval(.milliseconds(20))
      #expect(store.pace == nil)
      store.setVisible(true)
      #expect(store.pace == .milliseconds(20))
      #expect(await eventually { store.active.count == 1 })
      _ = try await pair.ana.makeMission(title: "Fog run")
      #expect(await eventually { store.active.count == 2 })
      store.setVisible(false)
      #expect(store.pace == nil)
      store.setPollInterval(nil)
      store.setVisible(true)
      #expect(store.pace == nil)
    }
  }

  @Test func `a mission whose end has come moves by itself`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let clock = Watched(WireTime.now)
      let end = clock.value.advanced(by: .seconds(3600))
      _ = try await ana.missionsService.createMission(
        CreateMission(title: "Lanterns", centre: Samples.lisbon, radiusMetres: 50, endsAt: end))
      let store = try await ana.makeMissionsStore(now: { clock.value })
      await store.refreshAll(mode: .initial)
      #expect(store.active.count == 1)
      clock.change { $0 = end }
      await store.refreshAll(mode: .refresh)
      #expect(store.active.isEmpty)
      #expect(store.done.map(\.title) == ["Lanterns"])
    }
  }

  @Test func `the fallback store starts nothing and fails in silence`() async {
    let store = EnvironmentValues().missionsStore
    await store.refreshAll(mode: .initial)
    store.startMissionsRealtimeListener()
    #expect(store.active.isEmpty)
    #expect(store.presentedError == nil)
    store.stopMissionsRealtimeListener()
  }
}
