import Foundation
import RallyEnvironment
import RallyState
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyDomain
@testable import RallySystem

@MainActor
@Suite struct SocialStoreTests {
  // MARK: - Refresh

  @Test func `a first refresh goes from loading to loaded`() async throws {
    try await TestServer.with { server in
      // given
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore()
      #expect(store.loadState == .loading)
      // when
      ana.gate.hold("fetch_friends")
      let refresh = Task { await store.refreshAll(mode: .initial) }
      #expect(await ana.gate.isHeld("fetch_friends"))
      #expect(store.loadState == .loading)
      ana.gate.release("fetch_friends")
      await refresh.value
      // then
      #expect(store.loadState == .loaded)
      #expect(store.friends.map(\.username) == ["ben"])
      #expect(store.profile?.username == "ana")
      #expect(store.asOf != nil)
    }
  }

  @Test func `a refresh that fails keeps what is shown and says so`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      ana.gate.goOffline()
      await store.refreshAll(mode: .refresh)
      guard case .failed(let failure) = store.loadState else {
        Issue.record("expected a failure, found \(store.loadState)")
        return
      }
      #expect(store.presentedError == failure)
      #expect(failure.description.contains("network is unreachable"))
      #expect(store.friends.count == 1)
    }
  }

  @Test func `of two refreshes that overlap the newer one is shown`() async throws {
    try await TestServer.with { server in
      // given: an older refresh whose answer hangs
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makeSocialStore()
      ana.gate.hold("fetch_friend_requests")
      let older = Task { await store.refreshAll(mode: .initial) }
      #expect(await ana.gate.isHeld("fetch_friend_requests", count: 2))
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben, through: ben)
      // when
      let newer = Task { await store.refreshAll(mode: .refresh) }
      #expect(await ana.gate.isHeld("fetch_friend_requests", count: 4))
      ana.gate.release("fetch_friend_requests")
      await older.value
      await newer.value
      // then
      #expect(store.friends.map(\.username) == ["ben"])
      #expect(store.loadState == .loaded)
    }
  }

  @Test func `a cancelled refresh is not shown as a failure`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makeSocialStore()
      ana.gate.hold("fetch_friends")
      let refresh = Task { await store.refreshAll(mode: .initial) }
      #expect(await ana.gate.isHeld("fetch_friends"))
      refresh.cancel()
      ana.gate.release("fetch_friends")
      await refresh.value
      #expect(store.presentedError == nil)
      #expect(store.loadState == .loading)
    }
  }

  @Test func `more friends than one page holds are all fetched`() async throws {
    let gate = TransportGate(over: nil)
    let rows = (0..<250).map {
      FriendRecord(
        profile: ProfileRecord(
          id: Samples.id($0), username: "person\($0)", displayName: "Person \($0)", bio: "",
          version: 1, createdAt: Samples.time), since: Samples.time, presence: .offline,
        lastSeen: nil)
    }
    gate.answer("fetch_friends", try json(Array(rows[..<200])), times: 1)
    // One row moved from the first page to the second meanwhile, which is asked for with a third one:
    // what comes after a page that is not whole is asked for again.
    gate.answer("fetch_friends", try json(Array(rows[199...])), times: 2)
    // This server does not tell how many there are: an empty page is the end.
    gate.answer("fetch_friends", try json([FriendRecord]()), times: 1)
    gate.answer("fetch_friend_requests", try json([DatedProfileRecord]()))
    gate.answer("fetch_location_asks", try json([LocationAskRecord]()))
    gate.answer("fetch_profiles", try json([ProfileRecord]()))
    let store = try offlineStore(gate)
    await store.refreshAll(mode: .initial)
    #expect(store.friends.count == 250)
  }

  // MARK: - Intents

  @Test func `a request shows at once and stays when the server agrees`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people)
      ana.gate.hold("request_friend")
      let found = try #require(store.peopleResults.first)
      let request = Task { await store.requestFriend(found) }
      #expect(await ana.gate.isHeld("request_friend"))
      #expect(store.outgoingRequests.map(\.id) == [ben.userID])
      #expect(store.peopleResults.first?.friendshipStatus == .outgoing)
      #expect(store.isInFlight(ben.userID))
      ana.gate.release("request_friend")
      #expect(await request.value == .done(.outgoing))
      #expect(!store.isInFlight(ben.userID))
      #expect(store.outgoingRequests.map(\.id) == [ben.userID])
    }
  }

  @Test func `a request that the server refuses is taken back`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people)
      try await ben.friendsService.blockUser(userID: ana.userID)
      let outcome = await store.requestFriend(try #require(store.peopleResults.first))
      #expect(outcome == .refused(try #require(store.presentedError)))
      #expect(store.outgoingRequests.isEmpty)
      #expect(store.peopleResults.first?.friendshipStatus == FriendshipStatus.none)
      #expect(store.presentedError?.title == "Request not sent")
      #expect(store.loadState == .loaded)
    }
  }

  @Test(arguments: [
    FriendRequestResponseAction.accept, .decline,
  ])
  func `an answer moves the row before the server has answered`(
    _ action: FriendRequestResponseAction
  ) async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      #expect(store.incomingRequests.count == 1)
      ana.gate.hold("respond_to_friend_request")
      let answer = Task { await store.respondToFriendRequest(ben.userID, action: action) }
      #expect(await ana.gate.isHeld("respond_to_friend_request"))
      #expect(store.incomingRequests.isEmpty)
      #expect(store.friends.count == (action == .accept ? 1 : 0))
      ana.gate.release("respond_to_friend_request")
      #expect(await answer.value.isDone)
      #expect(store.friends.count == (action == .accept ? 1 : 0))
      #expect(store.presentedError == nil)
    }
  }

  @Test func `an answer to a request that is gone returns the row and fetches the truth`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await ben.friendsService.requestFriend(userID: ana.userID)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      try await ben.friendsService.cancelFriendRequest(userID: ana.userID)
      await store.respondToFriendRequest(ben.userID, action: .accept)
      #expect(store.friends.isEmpty)
      #expect(store.presentedError?.title == "Request not accepted")
      #expect(await eventually { store.incomingRequests.isEmpty })
    }
  }

  @Test func `a second unfriend of the same person is ignored`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      let ben = try #require(store.friends.first)
      ana.gate.hold("remove_friend")
      let first = Task { await store.unfriend(ben) }
      #expect(await ana.gate.isHeld("remove_friend"))
      #expect(store.unfriendingProfileIDs == [ben.id])
      #expect(store.friends.count == 1)
      #expect(await store.unfriend(ben) == .notStarted)
      ana.gate.release("remove_friend")
      #expect(await first.value.isDone)
      #expect(ana.gate.calls(of: "remove_friend") == 1)
      #expect(store.friends.isEmpty)
      #expect(store.unfriendingProfileIDs.isEmpty)
    }
  }

  @Test func `a mutation outlives the task that began it`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      let ben = try #require(store.friends.first)
      ana.gate.hold("remove_friend")
      let screen = Task { await store.unfriend(ben) }
      #expect(await ana.gate.isHeld("remove_friend"))
      screen.cancel()
      ana.gate.release("remove_friend")
      #expect(await screen.value.isDone)
      #expect(store.friends.isEmpty)
      #expect(try await ana.friendsService.fetchFriends().isEmpty)
    }
  }

  @Test func `a refresh that began before the answer to an intent does not bring the row back`()
    async throws
  {
    try await TestServer.with { server in
      // given: a fetch that has read the old list already
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore(refreshPause: .seconds(3600))
      await store.refreshAll(mode: .initial)
      let ben = try #require(store.friends.first)
      ana.gate.hold("fetch_friend_requests")
      let refresh = Task { await store.refreshAll(mode: .refresh) }
      #expect(await ana.gate.isHeld("fetch_friend_requests", count: 2))
      // when
      await store.unfriend(ben)
      ana.gate.release("fetch_friend_requests")
      await refresh.value
      // then
      #expect(store.friends.isEmpty)
      #expect(store.loadState == .loaded)
    }
  }

  @Test func `who is blocked leaves every list and can be unblocked`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      let ben = try #require(store.friends.first)
      await store.block(ben)
      #expect(store.friends.isEmpty)
      #expect(store.blocksRevision == 1)
      #expect(store.blocked.isIdle)
      await store.fetchBlocked()
      #expect(store.blocked.value?.map(\.id) == [ben.id])
      await store.unblock(ben)
      ana.gate.fail("fetch_blocked_users", with: .connectionLost)
      await store.fetchBlocked()
      #expect(store.blocked.isFailure && store.presentedError == nil)
      ana.gate.release("fetch_blocked_users")
      #expect(store.blocksRevision == 2)
      #expect(try await ana.friendsService.fetchBlockedUsers().isEmpty)
    }
  }

  @Test func `a name that nobody has is answered on the field`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      #expect(await store.requestFriend(username: "b").problem?.field == .username)
      #expect(
        await store.requestFriend(username: "bena").problem?.advice
          == "Nobody here is called @bena. Check the name.")
      #expect(await store.requestFriend(username: "@Ben").isDone)
      #expect(store.outgoingRequests.map(\.profile.username) == ["ben"])
      #expect(
        await store.requestFriend(username: "ben").problem?.advice
          == "You have asked @ben already.")
    }
  }

  @Test func `asking somebody whose request has not been seen yet makes us friends`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      try await ben.friendsService.requestFriend(userID: ana.userID)
      let profile = try #require(try await ana.profileService.profiles(for: [ben.userID]).first)
      #expect(await store.requestFriend(profile) == .done(.friends))
      #expect(await eventually { store.friends.map(\.id) == [ben.userID] })
    }
  }

  @Test func `a bulk action reports each person and presents nothing`() async throws {
    try await TestServer.with { server in
      // given: three requests, of which one is withdrawn unseen
      let ana = try await TestPerson(signingUp: "ana", on: server)
      var others: [TestPerson] = []
      for name in ["ben", "cleo", "dan"] {
        let person = try await TestPerson(signingUp: name, on: server)
        try await person.friendsService.requestFriend(userID: ana.userID)
        others.append(person)
      }
      let store = ana.makeSocialStore(refreshPause: .seconds(3600))
      await store.refreshAll(mode: .initial)
      try await others[1].friendsService.cancelFriendRequest(userID: ana.userID)
      let people = store.incomingRequests.map(\.profile).sorted { $0.username < $1.username }
      // when
      let outcome = await store.perform(.accept, for: people)
      // then
      #expect(outcome.done.map(\.username) == ["ben", "dan"])
      #expect(outcome.failures.map(\.subject.username) == ["cleo"])
      #expect(outcome.failures.first?.sentence.isEmpty == false)
      #expect(store.presentedError == nil)
      #expect(store.friends.map(\.username) == ["ben", "dan"])
    }
  }

  // MARK: - Search

  @Test func `friends are filtered by name and username without regard to accents`() async throws {
    let gate = TransportGate(over: nil)
    gate.answer("fetch_friend_requests", try json([DatedProfileRecord]()))
    gate.answer("fetch_location_asks", try json([LocationAskRecord]()))
    gate.answer("fetch_profiles", try json([ProfileRecord]()))
    gate.answer(
      "fetch_friends",
      try json(
        [(1, "lu", "Lucía Gómez"), (2, "ana", "Ana Pereira")].map {
          FriendRecord(
            profile: ProfileRecord(
              id: Samples.id($0.0), username: $0.1, displayName: $0.2, bio: "", version: 1,
              createdAt: Samples.time), since: Samples.time, presence: .online, lastSeen: nil)
        }))
    let store = try offlineStore(gate)
    await store.refreshAll(mode: .initial)
    func found(_ query: String) -> [String]? {
      store.friendsIndex.numbers(containing: query)?.map { store.friends[Int($0)].username }
    }
    #expect(found("GOMEZ") == ["lu"])
    #expect(found("@an") == ["ana"])
    #expect(found(" ") == nil)
  }

  @Test func `an answer that a newer search has overtaken is dropped`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await TestPerson(signingUp: "ben", on: server)
      _ = try await TestPerson(signingUp: "carla", on: server)
      let store = ana.makeSocialStore()
      ana.gate.hold("search_people")
      let older = Task { await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people) }
      #expect(await ana.gate.isHeld("search_people"))
      let newer = Task { await store.runPeopleSearchIfNeeded(query: "carl", searchScope: .people) }
      #expect(await ana.gate.isHeld("search_people", count: 2))
      ana.gate.release("search_people")
      await older.value
      await newer.value
      #expect(store.peopleResults.map(\.username) == ["carla"])
      #expect(store.peopleSearchState == .found)
      await store.runPeopleSearchIfNeeded(query: "carl", searchScope: .people)
      #expect(ana.gate.calls(of: "search_people") == 2)
      await store.runPeopleSearchIfNeeded(query: "", searchScope: .people)
      #expect(store.peopleResults.isEmpty)
    }
  }

  @Test func `a text that is asked for again while its first asker is cancelled is searched`()
    async throws
  {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      ana.gate.hold("search_people")
      let first = Task { await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people) }
      #expect(await ana.gate.isHeld("search_people"))
      let again = Task { await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people) }
      #expect(await ana.gate.isHeld("search_people", count: 2))
      first.cancel()
      ana.gate.release("search_people")
      await first.value
      await again.value
      #expect(store.peopleResults.map(\.username) == ["ben"])
    }
  }

  @Test func `a refresh that ends during a search does not drop it`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      _ = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      ana.gate.hold("search_people")
      let search = Task { await store.runPeopleSearchIfNeeded(query: "ben", searchScope: .people) }
      #expect(await ana.gate.isHeld("search_people"))
      let refresh = Task { await store.refreshAll(mode: .refresh) }
      #expect(await ana.gate.isHeld("search_people", count: 2))
      ana.gate.release("search_people")
      await search.value
      await refresh.value
      #expect(store.peopleSearchState == .found)
      #expect(store.peopleResults.map(\.username) == ["ben"])
    }
  }

  // MARK: - Cache

  @Test func `the first frame shows what was seen last, even offline`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      try await befriend(ana, try await TestPerson(signingUp: "ben", on: server))
      let before = ana.makeSocialStore()
      await before.refreshAll(mode: .initial)
      let key = SocialSnapshot.key(userID: ana.userID)
      #expect(
        await eventually {
          let saved = try? await ana.persistenceService.retrieve(
            SocialSnapshot.self, withKey: key)
          return saved?.profile != nil && saved?.lists.friends.count == 1
        })
      // when
      ana.gate.goOffline()
      let store = ana.makeSocialStore()
      await store.restoreFromCache()
      // then
      #expect(store.friends.map(\.username) == ["ben"])
      #expect(store.profile?.username == "ana")
      #expect(store.asOf == before.asOf)
      #expect(store.loadState == .refreshing)
      await store.refreshAll(mode: .initial)
      #expect(store.friends.count == 1)
    }
  }

  @Test func `a cache never replaces what the server said`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let stale = SocialSnapshot(
        lists: SocialLists(friends: [Samples.friend(1)], incoming: [], outgoing: []),
        profile: nil, asOf: Samples.time)
      try await ana.persistenceService.save(
        stale, withKey: SocialSnapshot.key(userID: ana.userID))
      let store = ana.makeSocialStore()
      await store.refreshAll(mode: .initial)
      await store.restoreFromCache()
      #expect(store.friends.isEmpty)
    }
  }

  // MARK: - Realtime

  @Test func `a request of somebody else appears by itself`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      store.startFriendshipsRealtimeListener()
      #expect(await eventually { store.loadState == .loaded })
      try await ben.friendsService.requestFriend(userID: ana.userID)
      #expect(await eventually { store.incomingRequests.map(\.id) == [ben.userID] })
      store.stopFriendshipsRealtimeListener()
    }
  }

  @Test func `what happened during a gap is fetched after it`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      store.startFriendshipsRealtimeListener()
      #expect(await eventually { store.loadState == .loaded })
      // when
      ana.gate.goOffline()
      try await ben.friendsService.requestFriend(userID: ana.userID)
      ana.gate.goOffline(false)
      // then
      #expect(await eventually { store.incomingRequests.map(\.id) == [ben.userID] })
      store.stopFriendshipsRealtimeListener()
    }
  }

  @Test func `channels are left and joined again as the policy says`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let store = ana.makeSocialStore()
      let topics: Set = [RealtimeTopic.friendships, RealtimeTopic.presence]
      store.startFriendshipsRealtimeListener()
      #expect(
        await ana.gate.wasSent(times: 2) { $0.event == .join && topics.contains($0.topic) })
      store.stopFriendshipsRealtimeListener()
      #expect(
        await ana.gate.wasSent(times: 2) { $0.event == .leave && topics.contains($0.topic) })
      store.startFriendshipsRealtimeListener()
      #expect(
        await ana.gate.wasSent(times: 4) { $0.event == .join && topics.contains($0.topic) })
      #expect(ana.gate.openedSockets == 1)
      store.stopFriendshipsRealtimeListener()
    }
  }

  @Test func `a friend who comes and goes is shown online and offline`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      try await befriend(ana, ben)
      let store = ana.makeSocialStore()
      store.startFriendshipsRealtimeListener()
      #expect(await eventually { store.friends.first?.presence == .offline })
      let other = ben.makeSocialStore()
      other.startFriendshipsRealtimeListener()
      #expect(await eventually { store.friends.first?.presence == .online })
      other.stopFriendshipsRealtimeListener()
      #expect(await eventually { store.friends.first?.presence == .offline })
      #expect(store.friends.first?.lastSeen != nil)
      store.stopFriendshipsRealtimeListener()
    }
  }

  @Test func `polling fetches at its interval until it is ended`() async throws {
    try await TestServer.with { server in
      let ana = try await TestPerson(signingUp: "ana", on: server)
      let ben = try await TestPerson(signingUp: "ben", on: server)
      let store = ana.makeSocialStore()
      store.setPollInterval(.milliseconds(20))
      try await ben.friendsService.requestFriend(userID: ana.userID)
      #expect(await eventually { store.incomingRequests.count == 1 })
      store.setPollInterval(nil)
      #expect(ana.gate.openedSockets == 0)
    }
  }

  @Test func `the fallback store starts nothing and fails in words`() async {
    let store = EnvironmentValues().socialStore
    await store.refreshAll(mode: .initial)
    store.startFriendshipsRealtimeListener()
    #expect(store.friends.isEmpty)
    #expect(store.presentedError == nil)
    store.stopFriendshipsRealtimeListener()
  }

  // MARK: - Given

  private func befriend(
    _ one: TestPerson, _ other: TestPerson, through asker: TestPerson? = nil
  ) async throws {
    try await one.friendsService.requestFriend(userID: other.userID)
    try await other.friendsService.respondToFriendRequest(userID: one.userID, accept: true)
  }

  private func json(_ rows: some Encodable) throws -> HTTPAnswer {
    HTTPAnswer(status: 200, body: try WireJSON.encode(rows))
  }

  /// A store of a signed-in person whose every answer comes from the gate.
  private func offlineStore(_ gate: TransportGate) throws -> SocialStore {
    let folder = try TemporaryFolder()
    let tokens = TokenStore(folder: folder.path, server: "fake")
    try tokens.save(Samples.session(at: .now))
    let address = ServerAddress(
      endpoint: .url(try ServerURL("http://127.0.0.1:1")), key: "key")
    let client = SupabaseClient(
      tokens: tokens, transport: gate.transport,
      prepare: { [folder] in
        _ = folder
        return address
      })
    return SocialStore(
      authService: AuthService(client: client), friendsService: FriendsService(client: client),
      profileService: ProfileService(client: client),
      friendsRealtimeService: FriendsRealtimeService(client: client),
      persistenceService: PersistenceService())
  }
}
