import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

/// Asking friends where they are: ana asks ben.
@MainActor
@Suite struct LocationAsksTests {
  private func row(
    _ number: Int, _ direction: RequestDirection, at time: WireTime
  ) -> LocationAskRecord {
    LocationAskRecord(
      userID: Samples.id(number), username: "p\(number)", displayName: "P", direction: direction,
      askedAt: time)
  }

  // MARK: - As a value

  @Test func `who asked last comes first, and old questions leave`() {
    let now = Samples.time
    func ago(_ seconds: Int64) -> WireTime { now.advanced(by: .seconds(-seconds)) }
    var asks = LocationAsks([
      row(1, .incoming, at: ago(1800)), row(2, .incoming, at: ago(60)),
      row(3, .incoming, at: ago(5)), row(1, .outgoing, at: ago(599)),
      row(2, .outgoing, at: ago(600)),
    ])
    #expect(asks.askers == [3, 2, 1].map(Samples.id))
    #expect(asks.isPaused(Samples.id(1), at: now) && !asks.isPaused(Samples.id(2), at: now))
    asks.dropEnded(at: now)
    #expect(asks.askers == [3, 2].map(Samples.id))
    #expect(asks.outgoing.count == 2)
    asks.remove(Samples.id(2))
    #expect(asks.askers == [Samples.id(3)] && asks.outgoing.count == 1)
  }

  /// Minutes ago by this machine's clock, which is right, ahead or behind, and how long the question
  /// waits yet.
  @Test(arguments: [(10, 20), (300, 30), (31, 30), (-1, 30), (-300, 30), (0, 30)])
  func `a question ends by a clock that nobody sets`(ago: Int, rest: Int) {
    func minutes(_ number: Int) -> Duration { .seconds(number * 60) }
    let (now, steady) = (Samples.time, Samples.time.advanced(by: .seconds(7)))
    let asked = LocationAsks([row(1, .incoming, at: now.advanced(by: .zero - minutes(ago)))])
    var ends = AskEnds()
    func left(_ now: WireTime, after passed: Duration) -> (Int, WireTime?) {
      var asks = asked
      let next = ends.drop(from: &asks, at: now, steady: steady.advanced(by: passed))
      return (asks.askers.count, next)
    }
    let end = steady.advanced(by: minutes(rest))
    #expect(left(now, after: .zero) == (1, end))
    // The clock is set meanwhile.
    for jump in [-300, -30, 30, 300] {
      #expect(left(now.advanced(by: minutes(jump)), after: .seconds(1)) == (1, end))
    }
    #expect(left(now, after: minutes(rest)) == (0, nil))
    #expect(left(now, after: minutes(rest + 1)) == (0, nil), "it is over for good")
  }

  @Test(arguments: [-18_000, 18_000])
  func `on a machine with a wrong clock a question is shown, and what is fetched is new`(
    ahead: Int
  ) async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      var clock = Duration.zero
      let store = ana.makeSocialStore { WireTime.now.advanced(by: clock) }
      let status = SocialStatus(store)
      #expect(!status.hasFetched && !store.hasFetched)
      await store.refreshAll(mode: .initial)
      clock = .seconds(ahead)
      let before = SocialStatus(store)
      try await ben.friendsService.askLocation(of: ana.userID)
      await store.refreshAll(mode: .refresh)
      #expect(store.locationAsks.askers == [ben.userID])
      let events = SocialNotifications.events(from: before, to: SocialStatus(store))
      #expect(events == [NotificationEvent(.question, username: "ben", isNew: true)])
    }
  }

  @Test func `an answer shows no more than everybody sees, and never more than about 1 km`() {
    let now = Samples.time
    let later = now.advanced(by: LocationAnswer.duration)
    func answer(
      _ general: SharingMode, own: SharingMode? = nil, ghost: GhostPhase? = nil,
      hasPosition: Bool = true, heldBack: String? = nil
    ) -> LocationAnswer {
      LocationAnswer(
        to: Samples.id(1),
        sharing: SharingTable(
          general: SharingSetting(general),
          friends: [
            FriendSharing(
              id: Samples.id(1), username: "p", displayName: "P",
              own: own.map { SharingSetting($0) })
          ]), ghost: ghost, hasPosition: hasPosition, heldBack: heldBack, at: now)
    }
    #expect(answer(.off).setting == SharingSetting(.approximate1km, until: later))
    #expect(answer(.off).caveats.isEmpty)
    // Who sees something already sees no more than that.
    for mode in [SharingMode.approximate10km, .precise] {
      #expect(answer(mode).setting == nil && answer(.off, own: mode).setting == nil)
      #expect(answer(mode).caveats.isEmpty)
    }
    // Whom I excluded would see the default after it.
    #expect(
      answer(.approximate10km, own: .off).setting == SharingSetting(.approximate10km, until: later))
    #expect(answer(.precise, own: .off).setting == SharingSetting(.approximate1km, until: later))
    #expect(
      answer(.precise, own: .off).caveats == [
        "After an hour they see what everybody sees: precisely."
      ])
    #expect(answer(.off, ghost: .gone).caveats.first?.hasPrefix("You are a ghost.") == true)
    #expect(answer(.precise, hasPosition: false).caveats.count == 1)
    #expect(
      answer(.off, heldBack: "held back in home").caveats == [
        "By your zones and hours where you are now is held back in home."
      ])
  }

  @Test func `an answer from within a zone says that it is held back`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let rules = ben.makePrivacyRulesService()
      let sharing = ben.makeLocationSharingStore(privacyRules: rules)
      await sharing.refreshAll(mode: .initial)
      _ = await sharing.setHere("38.7223,-9.1393")
      _ = try await rules.addZone(
        "home", around: Samples.lisbon, accuracyMetres: nil, distance: 300, allows: .nothing)
      let answer = try #require(sharing.answer(to: ana.userID))
      #expect(answer.caveats == [LocationAnswer.caveat("held back in home")])
    }
  }

  // MARK: - Two clients

  private func pair(on server: TestServer) async throws -> (ana: TestPerson, ben: TestPerson) {
    let ana = try await TestPerson(signingUp: "ana", on: server)
    let ben = try await TestPerson(signingUp: "ben", on: server)
    try await befriend(ana, ben)
    return (ana, ben)
  }

  @Test func `a question arrives by itself, and a share answers it`() async throws {
    try await TestServer.with { server in
      // given
      let (ana, ben) = try await pair(on: server)
      let (asking, asked) = (ana.makeSocialStore(), ben.makeSocialStore())
      for store in [asking, asked] { store.startFriendshipsRealtimeListener() }
      #expect(await eventually { asking.loadState == .loaded && asked.loadState == .loaded })
      // when
      let friend = try #require(asking.friends.first)
      #expect(await asking.askLocation(of: friend).isDone)
      // then
      #expect(asking.locationAsks.outgoing.keys.map(\.self) == [ben.userID])
      #expect(asking.locationAsks.isPaused(ben.userID, at: .now))
      #expect(await eventually { asked.locationAsks.askers == [ana.userID] })
      // when
      let sharing = ben.makeLocationSharingStore()
      await sharing.refreshAll(mode: .initial)
      _ = await sharing.setHere("38.7223,-9.1393")
      let answer = try #require(sharing.answer(to: ana.userID))
      let setting = try #require(answer.setting)
      #expect(answer.caveats.isEmpty)
      await sharing.setSharing(setting.mode, for: ana.userID, until: setting.until)
      // then
      #expect(await eventually { asked.locationAsks.askers.isEmpty })
      let seen = try await ana.locationsService.fetchFriendLocations()
      #expect(seen.map(\.precision) == [.approximate1km])
      #expect(asking.locationAsks.outgoing.count == 1)
      for store in [asking, asked] { store.stopFriendshipsRealtimeListener() }
    }
  }

  @Test func `a dismissal leaves my other terminal, and is not told to who asked`() async throws {
    try await TestServer.with { server in
      // given
      let (ana, ben) = try await pair(on: server)
      try await ana.friendsService.askLocation(of: ben.userID)
      let (asking, one, other) = (
        ana.makeSocialStore(), ben.makeSocialStore(), ben.makeSocialStore()
      )
      other.startFriendshipsRealtimeListener()
      #expect(await eventually { other.locationAsks.askers == [ana.userID] })
      await asking.refreshAll(mode: .initial)
      await one.refreshAll(mode: .initial)
      let before = asking.locationAsks
      // when
      ben.gate.hold("close_location_ask")
      let closing = Task { await one.closeLocationAsk(of: ana.userID) }
      // then: it shows before the server has answered
      #expect(await ben.gate.isHeld("close_location_ask"))
      #expect(one.locationAsks.askers.isEmpty && one.isInFlight(ana.userID))
      ben.gate.release("close_location_ask")
      #expect(await closing.value.isDone)
      #expect(await eventually { other.locationAsks.askers.isEmpty })
      await asking.refreshAll(mode: .refresh)
      #expect(asking.locationAsks == before && before.outgoing.count == 1)
      other.stopFriendshipsRealtimeListener()
    }
  }

  @Test func `what the server refuses is taken back`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      let friend = try #require(store.friends.first)
      try await ben.friendsService.removeFriend(userID: ana.userID)
      #expect(!(await store.askLocation(of: friend)).isDone)
      #expect(store.locationAsks.outgoing.isEmpty)
      #expect(store.presentedError?.title == "Ben was not asked")
    }
  }

  @Test func `a server that knows no questions still gives its lists`() async throws {
    try await TestServer.with { server in
      let (ana, _) = try await pair(on: server)
      let failure = FunctionFailure(
        code: FunctionFailure.unknownFunction, message: "Could not find the function")
      ana.gate.answer(
        "fetch_location_asks", HTTPAnswer(status: 404, body: try WireJSON.encode(failure)))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      #expect(store.loadState == .loaded && store.friends.count == 1)
    }
  }

  @Test func `questions are shown from the cache, and forgotten with a friend`() async throws {
    try await TestServer.with { server in
      let (ana, ben) = try await pair(on: server)
      try await ben.friendsService.askLocation(of: ana.userID)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      await store.saveState()
      let next = ana.makeSocialStore()
      await next.restoreFromCache()
      #expect(next.locationAsks.askers == [ben.userID])
      await store.unfriend(try #require(store.friends.first))
      #expect(store.locationAsks.askers.isEmpty)
    }
  }
}
