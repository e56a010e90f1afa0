import Foundation
import RallyClient
import RallyEnvironment
import RallyGate
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct LocationSharingStoreTests {
  private func pair(on server: TestServer) async throws -> (ana: TestPerson, ben: TestPerson) {
    let ana = try await TestPerson(signingUp: "ana", on: server)
    let ben = try await TestPerson(signingUp: "ben", on: server)
    try await befriend(ana, ben)
    return (ana, ben)
  }

  private func seen(by person: TestPerson) async throws -> LocationRecord? {
    try await person.locationsService.fetchFriendLocations().first
  }

  // MARK: - My position

  @Test func `nothing is sent while nobody may see it, and at once when somebody may`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      #expect(store.sharingSentence == "sharing with nobody")
      #expect(await store.setHere("38.7223,-9.1393").isDone)
      #expect(ana.gate.calls(of: "publish_locations") == 0)
      #expect(await store.setSharing(.approximate10km, for: ben.userID).isDone)
      #expect(store.sharingSentence == "shared with 1")
      let seen = try #require(try await seen(by: ben))
      #expect(
        seen.coordinate
          == GridCell(containing: Samples.lisbon, level: .tenKilometres).center)
    }
  }

  @Test func `a place from a device whose clock is behind is not told as shared`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      try await ana.locationsService.setLocationSharing(userID: nil, mode: .precise)
      try await ana.locationsService.publishLocations([
        LocationReport(coordinate: Samples.porto, recordedAt: .now, source: "manual")
      ])
      let store = ana.makeLocationSharingStore(now: { .now.advanced(by: .seconds(-1800)) })
      await store.refreshAll(mode: .initial)
      guard case .refused(let error) = await store.setHere("38.7223,-9.1393") else {
        Issue.record("told as shared")
        return
      }
      #expect(error.description.contains("the clock of this device is behind"))
      #expect(try await seen(by: ben)?.coordinate == Samples.porto)
      let calls = ana.gate.calls(of: "publish_locations")
      await store.publishIfChanged()
      #expect(ana.gate.calls(of: "publish_locations") == calls)
    }
  }

  @Test func `a move that the server has not announced yet is sent once, and its return too`()
    async throws
  {
    let server = try await TestServer.start { $0.moveDelay = .derived }
    let (ana, ben) = try await pair(on: server)
    let store = ana.makeLocationSharingStore()
    await store.refreshAll(mode: .initial)
    await store.setSharing(.approximate10km, for: ben.userID)
    _ = await store.setHere("38.7223,-9.1393")
    let before = try await seen(by: ben)
    #expect(ana.gate.calls(of: "publish_locations") == 1)
    _ = await store.setHere("41.1496,-8.611")
    for _ in 0..<3 { await store.refreshAll(mode: .refresh) }
    #expect(ana.gate.calls(of: "publish_locations") == 2)
    #expect(try await seen(by: ben) == before)
    _ = await store.setHere("38.7223,-9.1393")
    #expect(ana.gate.calls(of: "publish_locations") == 3)
    try await server.stop()
  }

  @Test func `no body ever carries more than the most exact friend may see`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await befriend(ana, cleo)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      var random = SeededGenerator(seed: 5)
      let modes: [SharingMode] = [.off, .approximate10km, .approximate1km]
      for _ in 0..<12 {
        // given: never precise
        let friend = Bool.random(using: &random) ? ben : cleo
        await store.setSharing(modes.randomElement(using: &random) ?? .off, for: friend.userID)
        let latitude = Double.random(in: 37...41, using: &random)
        let longitude = Double.random(in: -9 ... -7, using: &random)
        #expect(await store.setHere("\(latitude),\(longitude)").isDone)
      }
      // then: every report is the middle of a cell
      let bodies = ana.gate.bodies(of: "publish_locations")
      #expect(!bodies.isEmpty)
      for body in bodies {
        let call = try WireJSON.decode(PublishLocations.self, from: body)
        for report in call.locations {
          let level = try #require(report.precision?.gridLevel)
          let place = try #require(report.coordinate)
          #expect(place == GridCell(containing: place, level: level).center)
          #expect(report.recordedAt == report.recordedAt.quarterHour)
          #expect(report.speed == nil && report.course == nil && report.battery == nil)
          #expect(report.accuracyMetres == level.accuracyMetres)
        }
      }
    }
  }

  @Test func `what is not understood is answered on the field`() async throws {
    let store = EnvironmentValues().locationSharingStore
    #expect(await store.setHere("Atlantis").problem?.field == .place)
    #expect(store.presentedError == nil)
  }

  @Test func `a position said offline goes out when the network is back`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: nil)
      ana.gate.goOffline()
      let outcome = await store.setHere("38.7223,-9.1393")
      let error = try #require(store.presentedError)
      #expect(error.title == "Your position was not sent")
      #expect(outcome == .refused(error))
      #expect(try await seen(by: ben) == nil)
      ana.gate.goOffline(false)
      await store.refreshAll(mode: .refresh)
      #expect(try await seen(by: ben)?.coordinate == Samples.lisbon)
      // Once is enough.
      let calls = ana.gate.calls(of: "publish_locations")
      await store.refreshAll(mode: .refresh)
      #expect(ana.gate.calls(of: "publish_locations") == calls)
    }
  }

  @Test func `a restarted program sends nothing that the server has`() async throws {
    try await TestServer.with { server in
      let (ana, _) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate1km, for: nil)
      _ = await store.setHere("38.7223,-9.1393")
      #expect(ana.gate.calls(of: "publish_locations") == 1)
      await store.saveState()
      let restarted = ana.makeLocationSharingStore()
      await restarted.restoreFromCache()
      #expect(restarted.sharingSentence == "unconfirmed: shared with 1")
      await restarted.refreshAll(mode: .initial)
      #expect(ana.gate.calls(of: "publish_locations") == 1)
    }
  }

  @Test func `the event of my own position is no reason to fetch, before or after the response`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let (ana, ben) = try await pair(on: server)
      var timing = TestPerson.mapTiming
      timing.refreshPause = .seconds(3600)
      let provider = ana.makeCurrentLocationProvider()
      let store = ana.makeLocationSharingStore(currentLocationProvider: provider, timing: timing)
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      await store.refreshAll(mode: .initial)
      func echo() throws -> LocationRecord {
        let body = try #require(ana.gate.bodies(of: "publish_locations").last)
        let report = try #require(WireJSON.decode(PublishLocations.self, from: body).locations.last)
        return LocationRecord(
          userID: ana.userID, coordinate: try #require(report.coordinate), accuracyMetres: nil,
          speed: nil, course: nil, battery: nil, recordedAt: report.recordedAt,
          source: report.source, precision: .precise, version: 1)
      }
      // when: the event overtakes the response
      ana.gate.hold("publish_locations")
      let sending = Task { await store.setHere("38.7223,-9.1393") }
      #expect(await ana.gate.isHeld("publish_locations"))
      store.receive(.position(try echo()))
      // then
      #expect(!store.synchronizer.isRefreshScheduled)
      // when: and when it comes after it
      ana.gate.release("publish_locations")
      #expect(await sending.value.isDone)
      store.receive(.position(try echo()))
      // then
      #expect(!store.synchronizer.isRefreshScheduled)
      // A position that another client of mine sent is one.
      var other = try echo()
      other.recordedAt = other.recordedAt.advanced(by: .milliseconds(1))
      store.receive(.position(other))
      #expect(store.synchronizer.isRefreshScheduled)
      #expect(provider.fix?.recordedAt == other.recordedAt)
    }
  }

  @Test func `who sends while another report is on its way waits until the newer one was sent`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let (ana, ben) = try await pair(on: server)
      let provider = ana.makeCurrentLocationProvider()
      let store = ana.makeLocationSharingStore(currentLocationProvider: provider)
      try await ana.locationsService.setLocationSharing(userID: ben.userID, mode: .precise)
      await store.refreshAll(mode: .initial)
      ana.gate.hold("publish_locations")
      let first = Task { await store.setHere("38.7223,-9.1393") }
      #expect(await ana.gate.isHeld("publish_locations"))
      // when
      let second = Task { await store.setHere("48.8566,2.3522") }
      #expect(await eventually { provider.fix?.coordinate.latitude == 48.8566 })
      ana.gate.release("publish_locations")
      // then
      #expect(await second.value.isDone)
      #expect(try await seen(by: ben)?.coordinate?.latitude == 48.8566)
      #expect(await first.value.isDone)
    }
  }

  // MARK: - Sharing

  @Test func `a decision shows at once, but nobody counts as hidden before the server agreed`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: ben.userID)
      ana.gate.hold("set_location_sharing")
      let lowering = Task { await store.setSharing(.off, for: ben.userID) }
      #expect(await ana.gate.isHeld("set_location_sharing"))
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .off)
      #expect(store.isInFlight(ben.userID))
      #expect(store.sharingSentence == "shared with 1 · 1 precise")
      ana.gate.release("set_location_sharing")
      #expect(await lowering.value.isDone)
      #expect(store.sharingSentence == "sharing with nobody")
      #expect(!store.isInFlight(ben.userID))
    }
  }

  @Test func `decisions reach the server in the order of the keys`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      ana.gate.hold("set_location_sharing")
      let steps: [SharingMode] = [.approximate10km, .precise, .off]
      var tasks: [Task<IntentOutcome<SharingChange>, Never>] = []
      for mode in steps {
        tasks.append(Task.immediate { await store.setSharing(mode, for: ben.userID) })
      }
      #expect(await ana.gate.isHeld("set_location_sharing"))
      ana.gate.release("set_location_sharing")
      for task in tasks { #expect(await task.value.isDone) }
      let sent = try ana.gate.bodies(of: "set_location_sharing").map {
        try WireJSON.decode(SetLocationSharing.self, from: $0).mode
      }
      #expect(sent == steps)
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .off)
    }
  }

  @Test func `what the server refuses is taken back`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      ana.gate.fail("set_location_sharing", with: .unreachable("gone"), times: 1)
      let outcome = await store.setSharing(.precise, for: ben.userID)
      #expect(outcome == .refused(try #require(store.presentedError)))
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .off)
      #expect(store.sharingSentence == "sharing with nobody")
      #expect(store.presentedError?.title == "Sharing not changed")
      #expect(store.lastSharingChange == nil)
    }
  }

  @Test func `undoing gives back what was`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate1km, for: ben.userID)
      await store.setSharing(.precise, for: ben.userID)
      await store.undoSharing()
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .approximate1km)
      #expect(store.lastSharingChange == nil)
      await store.undoSharing()
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .approximate1km)
    }
  }

  @Test func `undoing a first decision lets the friend follow the default again`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate10km, for: nil)
      await store.setSharing(.precise, for: ben.userID)
      await store.undoSharing()
      let now = WireTime.now
      let table = try #require(store.sharing)
      #expect(table.mode(for: ben.userID, at: now) == .approximate10km)
      let end = try #require(table.decision(for: ben.userID)?.until)
      #expect(end < now.advanced(by: .seconds(60)))
    }
  }

  @Test func `a timed share ends here by itself`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      let end = WireTime.now.advanced(by: .seconds(2))
      #expect(await store.setSharing(.precise, for: ben.userID, until: end).isDone)
      let sentence = store.sharingSentence
      // On a slow machine it may be over already.
      if WireTime.now < end { #expect(sentence == "shared with 1 · 1 precise") }
      // Even when nobody can be asked.
      ana.gate.goOffline()
      #expect(await eventually { store.sharingSentence.hasSuffix("sharing with nobody") })
      #expect(WireTime.now >= end)
      #expect(await eventually { store.sharing?.decision(for: ben.userID) == nil })
    }
  }

  @Test func `a new friend is counted`() async throws {
    try await TestServer.with { server in
      let (ana, _) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      store.updateFriends(try await ana.friends())
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate10km, for: nil)
      #expect(store.sharingSentence == "shared with 1")
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await befriend(ana, cleo)
      store.updateFriends(try await ana.friends())
      #expect(await eventually { store.sharingSentence == "shared with 2" })
    }
  }

  @Test func `the first friend is counted, whichever list knew of them first`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      // given: sharing was read before there was a friend
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      try await befriend(ana, ben)
      // when
      store.updateFriends(try await ana.friends())
      // then
      #expect(await eventually { store.sharing?.friends.map(\.id) == [ben.userID] })
      // given: a first fetch that was answered before there was another friend
      let late = ana.makeLocationSharingStore()
      late.updateFriends(try await ana.friends())
      ana.gate.holdAnswers("location_sharing")
      async let first: Void = late.refreshAll(mode: .initial)
      #expect(await ana.gate.isHeld("location_sharing"))
      let cleo = try await TestPerson(signingUp: "cleo", on: server)
      try await befriend(ana, cleo)
      // when
      late.updateFriends(try await ana.friends())
      ana.gate.release("location_sharing")
      await first
      // then
      #expect(await eventually { late.sharing?.friends.count == 2 })
    }
  }

  // MARK: - Ghost

  @Test func `a ghost is seen by nobody, and one key gives everything back`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate10km, for: nil)
      await store.setSharing(.precise, for: ben.userID)
      _ = await store.setHere("38.7223,-9.1393")
      #expect(try await seen(by: ben)?.coordinate == Samples.lisbon)
      #expect(await store.toggleGhost() == .done(.gone))
      #expect(store.ghostPhase == .gone)
      #expect(store.sharingSentence == "ghost")
      #expect(try await seen(by: ben) == nil)
      // A ghost that moves tells nobody.
      let calls = ana.gate.calls(of: "publish_locations")
      _ = await store.setHere("41.1496,-8.611")
      #expect(ana.gate.calls(of: "publish_locations") == calls)
      #expect(await store.toggleGhost() == .done(nil))
      #expect(store.ghostPhase == nil)
      #expect(store.sharingSentence == "shared with 1 · 1 precise")
      #expect(await eventually { (try? await seen(by: ben))??.coordinate == Samples.porto })
      #expect(store.sharing?.general.mode == .approximate10km)
    }
  }

  @Test func `an offline ghost says that it is pending, sends nothing, and goes out on return`()
    async throws
  {
    try await TestServer.with { server in
      // given
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: nil)
      _ = await store.setHere("38.7223,-9.1393")
      // when
      ana.gate.goOffline()
      let outcome = await store.goGhost()
      // then
      #expect(outcome == .refused(try #require(store.presentedError)))
      #expect(store.ghostPhase == .pending)
      #expect(store.sharingSentence.hasSuffix("ghost pending · still shared with 1"))
      #expect(store.presentedError?.title == "Not a ghost yet")
      #expect(store.presentedError?.description.contains("may still see you") == true)
      // The network is back, but the position that was said meanwhile stays here.
      _ = await store.setHere("41.1496,-8.611")
      let sent = ana.gate.bodies(of: "publish_locations").count
      ana.gate.goOffline(false)
      await store.refreshAll(mode: .refresh)
      #expect(await eventually { store.ghostPhase == .gone })
      #expect(store.sharingSentence == "ghost")
      #expect(try await seen(by: ben) == nil)
      #expect(ana.gate.bodies(of: "publish_locations").count == sent)
    }
  }

  @Test func `a pending ghost keeps trying at the pace, and survives a restart`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: nil)
      _ = await store.setHere("38.7223,-9.1393")
      ana.gate.goOffline()
      await store.goGhost()
      // given: another run, which is not looked at
      let restarted = ana.makeLocationSharingStore()
      await restarted.restoreFromCache()
      #expect(restarted.ghostPhase == .pending)
      restarted.setSyncInterval(.milliseconds(20))
      // when
      ana.gate.goOffline(false)
      // then
      #expect(await eventually { restarted.ghostPhase == .gone })
      #expect(try await seen(by: ben) == nil)
      #expect(await eventually { restarted.pace == nil })
    }
  }

  @Test func `a pending ghost sends nothing, even where the network carries it`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: nil)
      _ = await store.setHere("38.7223,-9.1393")
      ana.gate.fail("set_ghost", with: .http(status: 500))
      await store.goGhost()
      #expect(store.ghostPhase == .pending)
      _ = await store.setHere("41.1496,-8.611")
      await store.refreshAll(mode: .refresh)
      #expect(ana.gate.calls(of: "publish_locations") == 1)
      #expect(try await seen(by: ben)?.coordinate == Samples.lisbon)
    }
  }

  @Test func `a pending ghost can be called off`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.approximate1km, for: nil)
      _ = await store.setHere("38.7223,-9.1393")
      ana.gate.goOffline()
      await store.toggleGhost()
      #expect(store.ghostPhase == .pending)
      await store.toggleGhost()
      #expect(store.ghostPhase == nil)
      ana.gate.goOffline(false)
      await store.refreshAll(mode: .refresh)
      #expect(store.sharingSentence == "shared with 1")
      #expect(try await seen(by: ben) != nil)
    }
  }

  @Test func `who comes back offline stays a ghost and can try again`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: ben.userID)
      await store.goGhost()
      ana.gate.goOffline()
      await store.endGhost()
      #expect(store.ghostPhase == .gone)
      #expect(store.presentedError?.title == "Still a ghost")
      ana.gate.goOffline(false)
      await store.toggleGhost()
      #expect(store.ghostPhase == nil)
      #expect(store.sharingSentence == "shared with 1 · 1 precise")
    }
  }

  @Test func `sharing again ends the ghost, whoever does it`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.goGhost()
      await store.setSharing(.approximate1km, for: ben.userID)
      #expect(store.ghostPhase == nil)
      #expect(await !ana.ghostService.isPending())
      // By another terminal of mine:
      try await ana.ghostService.begin()
      _ = try await ana.ghostService.complete()
      await store.refreshAll(mode: .refresh)
      _ = await eventually { store.sharingSentence == "ghost" }
      #expect(store.sharingSentence == "ghost")
      try await ana.ghostService.end()
      await store.refreshAll(mode: .refresh)
      #expect(store.sharingSentence == "shared with 1")
    }
  }

  @Test func `what another terminal shares after the ghost is not mixed with what was before`()
    async throws
  {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeLocationSharingStore()
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: nil)
      await store.goGhost()
      try await ana.locationsService.setLocationSharing(
        userID: ben.userID, mode: .approximate10km, endsGhost: true)
      await store.refreshAll(mode: .refresh)
      #expect(store.ghostPhase == nil)
      await store.goGhost()
      await store.endGhost()
      #expect(store.sharing?.general.mode == .off)
      #expect(store.sharing?.mode(for: ben.userID, at: .now) == .approximate10km)
    }
  }

  // MARK: - Pace

  @Test func `no timer runs and nothing measures without a question or a share`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let provider = ana.makeCurrentLocationProvider()
      let store = ana.makeLocationSharingStore(currentLocationProvider: provider)
      store.setSyncInterval(.seconds(45))
      await store.refreshAll(mode: .initial)
      #expect(store.pace == nil)
      #expect(!provider.isTracking)
      store.setMapVisible(true)
      #expect(store.pace == .seconds(45))
      #expect(!provider.isTracking)
      store.locateMe()
      #expect(provider.isTracking)
      store.setMapVisible(false)
      #expect(store.pace == nil)
      #expect(!provider.isTracking)
      await store.setSharing(.approximate10km, for: ben.userID)
      #expect(store.pace == .seconds(45))
      await store.setSharing(.off, for: ben.userID)
      #expect(store.pace == nil)
      #expect(!provider.isTracking)
    }
  }

  @Test func `while something is shared, what is measured goes out at the pace`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let provider = ana.makeCurrentLocationProvider()
      let store = ana.makeLocationSharingStore(currentLocationProvider: provider)
      await store.refreshAll(mode: .initial)
      await store.setSharing(.precise, for: ben.userID)
      store.setSyncInterval(.milliseconds(20))
      try await provider.setManual(Samples.porto)
      #expect(await eventually { (try? await seen(by: ben))??.coordinate == Samples.porto })
      store.setSyncInterval(nil)
      #expect(store.pace == nil)
    }
  }
}
