import Foundation
import Logging
import Observation
import RallyEnvironment
import RallyWire

/// Friends, requests and people search of the signed-in person.
///
/// What is shown is always what the server said last, with the intents on top that are still on
/// their way; so a refusal needs no repair, and a refresh in between loses nothing.
@MainActor
@Observable
public final class SocialStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let friendsService: FriendsService
  @ObservationIgnored private let profileService: ProfileService
  @ObservationIgnored private let friendsRealtimeService: FriendsRealtimeService

  // MARK: - State
  public internal(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  /// Sorted by name, without regard to case.
  public private(set) var friends: [CommunityProfile] = []
  /// Newest first.
  public private(set) var incomingRequests: [FriendRequestItem] = []
  /// Newest first.
  public private(set) var outgoingRequests: [FriendRequestItem] = []
  /// People found by the current search text.
  public private(set) var peopleResults: [CommunityProfile] = []
  /// How the people search stands.
  public private(set) var peopleSearchState: PeopleSearchState = .idle
  /// My own profile.
  public private(set) var profile: CommunityProfile?
  /// When what is shown was fetched; nil before anything was, older than now from the cache.
  public private(set) var asOf: WireTime?
  /// Friends whose end is on its way to the server; their rows stay until it agreed.
  public private(set) var unfriendingProfileIDs: Set<UUID> = []
  /// People with a request, an answer, a block or an unblock on its way to the server.
  public private(set) var settlingProfileIDs: Set<UUID> = []
  /// Grows when I block or unblock somebody; a view of the blocked list loads again by it.
  public private(set) var blocksRevision = 0

  /// Of the friends that are shown; made when it is asked for.
  @ObservationIgnored private var madeFriendsIndex: SearchIndex?
  @ObservationIgnored private var serverLists = SocialLists()
  @ObservationIgnored private var pending: [UUID: SocialChange] = [:]
  @ObservationIgnored private var onlineIDs: Set<UUID>?
  /// Who is acted on now as one of many, and why it failed; empty while it has not.
  @ObservationIgnored var manyFailures: [UUID: String] = [:]
  @ObservationIgnored private var hasFetched = false
  @ObservationIgnored private var refreshGeneration = 0
  @ObservationIgnored private var mutationEpoch = 0
  @ObservationIgnored private var searchGeneration = 0
  @ObservationIgnored private var searchContext: String?
  /// Whether the results are those of `searchContext`.
  @ObservationIgnored private var isSearchAnswered = false
  @ObservationIgnored private let snapshots: SnapshotWriter<SocialSnapshot>
  @ObservationIgnored private let listening = RealtimeListening()
  @ObservationIgnored private lazy var realtimeRefresh = RefreshCoalescer(
    shortest: timing.refreshPause, longest: timing.longestRefreshPause
  ) { [weak self] in await self?.refreshFriendshipData() }
  @ObservationIgnored private let poller = Poller()
  @ObservationIgnored private let timing: Timing
  let log = RallyLog.logger("Social")

  // MARK: - Lifecycle

  public init(
    authService: AuthService = .shared, friendsService: FriendsService = .shared,
    profileService: ProfileService = .shared,
    friendsRealtimeService: FriendsRealtimeService = .shared,
    persistenceService: PersistenceService = .shared, timing: Timing = Timing()
  ) {
    self.authService = authService
    self.friendsService = friendsService
    self.profileService = profileService
    self.friendsRealtimeService = friendsRealtimeService
    self.timing = timing
    snapshots = SnapshotWriter(
      authService: authService, persistenceService: persistenceService,
      savePause: timing.savePause)
  }

  /// Shows what was seen last, for the first frame.
  ///
  /// - What: Fills the lists, the profile and `asOf` from this machine's cache.
  /// - How: Reads one file; an answer of the server that came first is never replaced.
  /// - Why: The first frame must not wait for a network, and offline is a normal mode.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`
  public func restoreFromCache() async {
    guard !hasFetched, let snapshot = await snapshots.read(), !hasFetched else { return }
    serverLists = snapshot.lists
    profile = snapshot.profile
    asOf = snapshot.asOf
    if loadState == .loading { loadState = .refreshing }
    publish()
  }

  // MARK: - Search

  /// The friends whose name or username contains the text; all for an empty one.
  public func filteredFriends(query: String) -> [CommunityProfile] {
    guard let numbers = friendsIndex.numbers(containing: query) else { return friends }
    return numbers.map { friends[Int($0)] }
  }

  /// Makes `friendsIndex` beside the interface, so that the first letter need not wait for it.
  public func prepareFriendsIndex() async {
    guard madeFriendsIndex == nil else { return }
    let friends = friends
    let index = await Task.detached(priority: .userInitiated) {
      SearchIndex(friends, fields: CommunityProfile.searchedFields)
    }.value
    if madeFriendsIndex == nil, friends == self.friends { madeFriendsIndex = index }
  }

  /// Names and usernames of the friends, in their order, ready to be searched.
  public var friendsIndex: SearchIndex {
    let friends = friends
    if let madeFriendsIndex { return madeFriendsIndex }
    let index = SearchIndex(friends, fields: CommunityProfile.searchedFields)
    madeFriendsIndex = index
    return index
  }

  /// Searches people by the text that stands in the field.
  ///
  /// - What: Fills `peopleResults`, or empties it where the scope or the text asks for nobody.
  /// - How: Waits until typing pauses, asks once per text, and drops an answer that a newer text
  ///   has overtaken.
  /// - Why: Results appear as one types, without a request for each letter.
  /// - Service Calls: `FriendsService.searchPeople`
  /// - Parameters:
  ///   - query: The text as typed.
  ///   - searchScope: Only `.people` and `.all` search people.
  public func runPeopleSearchIfNeeded(
    query: String, searchScope: CommunitySearchScope
  ) async {
    guard updateSearchContext(query: query, searchScope: searchScope) else { return }
    let generation = searchGeneration
    guard (try? await DispatchSleep.for(timing.searchPause)) != nil else { return }
    await searchPeople(generation: generation)
  }

  /// Notes what is searched now; false when it needs no request.
  private func updateSearchContext(query: String, searchScope: CommunitySearchScope) -> Bool {
    let text = query.trimmingCharacters(in: .whitespacesAndNewlines)
    let context = searchScope == .friends || text.isEmpty ? nil : text
    // A text without an answer is asked for again: whoever asked first may have been cancelled.
    if context == searchContext, context == nil || isSearchAnswered { return false }
    searchContext = context
    isSearchAnswered = false
    searchGeneration += 1
    guard context != nil else {
      peopleResults = []
      peopleSearchState = .idle
      return false
    }
    return true
  }

  private func searchPeople(generation: Int) async {
    guard generation == searchGeneration, let query = searchContext else { return }
    peopleSearchState = .searching
    do {
      let found = try await friendsService.searchPeople(query: query).rows
      guard generation == searchGeneration else { return }
      peopleResults = found
      peopleSearchState = .found
      isSearchAnswered = true
      publish(isSearchAnswer: true)
    } catch {
      guard generation == searchGeneration else { return }
      if error.isExpectedError() {
        peopleSearchState = peopleResults.isEmpty ? .idle : .found
      } else {
        peopleSearchState = .failed(error.sentence)
      }
    }
  }

  // MARK: - Refresh

  /// Fetches everything of the community for first entry and for a refresh by hand.
  ///
  /// - What: Reloads friends, requests, the own profile, and the people search if there is one.
  /// - How: Chooses the load state by mode, fetches concurrently, commits all or nothing; of
  ///   refreshes that overlap only the newest commits.
  /// - Why: Keeps the lists coherent after entry, a gap or a key press, whatever the network does.
  /// - Service Calls: `FriendsService.fetchFriends`, `FriendsService.fetchFriendRequests`,
  ///   `ProfileService.fetchProfile`, `FriendsService.searchPeople`
  /// - Parameters:
  ///   - mode: Initial or by hand; by hand the profile is asked for anew.
  ///   - query: The current search text; an empty one leaves the search that there is.
  ///   - searchScope: Whom the text looks for.
  public func refreshAll(
    mode: CommunityRefreshMode, query: String = "", searchScope: CommunitySearchScope = .friends
  ) async {
    loadState = mode == .initial && asOf == nil ? .loading : .refreshing
    async let own = fetchCurrentProfile(forceRefresh: mode == .refresh)
    let isCommitted = await fetchAndCommit(source: "refreshAll", isShown: true)
    if let own = await own {
      profile = own
      if isCommitted { saveSnapshot() }
    }
    // Without a text of the caller's the search that is shown, if there is one, stays.
    if !query.isEmpty { _ = updateSearchContext(query: query, searchScope: searchScope) }
    if searchContext != nil {
      searchGeneration += 1
      await searchPeople(generation: searchGeneration)
    }
  }

  /// Fetches the lists and commits them, unless a newer fetch has begun meanwhile.
  ///
  /// - Parameter isShown: A failure is shown; otherwise only the load state says it.
  private func fetchAndCommit(source: String, isShown: Bool) async -> Bool {
    refreshGeneration += 1
    let generation = refreshGeneration
    do {
      guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
      var lists = SocialLists()
      var epoch: Int
      repeat {
        // A list that was read before an intent settled may not show it yet.
        epoch = mutationEpoch
        async let friends = fetchAllFriends()
        async let requests = fetchPendingRequests()
        let (incoming, outgoing) = try await requests
        lists = SocialLists(friends: try await friends, incoming: incoming, outgoing: outgoing)
      } while epoch != mutationEpoch && generation == refreshGeneration
      guard generation == refreshGeneration, await authService.currentUserID == userID else {
        return false
      }
      serverLists = lists
      hasFetched = true
      asOf = .now
      loadState = .loaded
      publish()
      saveSnapshot()
      return true
    } catch {
      guard generation == refreshGeneration else { return false }
      if error.isExpectedError() {
        loadState = hasFetched ? .loaded : .loading
      } else {
        presentFailure(
          error, title: "Friends could not be fetched",
          source: source, isPresented: isShown)
      }
      return false
    }
  }

  // MARK: - Friendship

  /// Whether something about this person is on its way to the server.
  public func isSettling(_ userID: UUID) -> Bool {
    settlingProfileIDs.contains(userID) || unfriendingProfileIDs.contains(userID)
  }

  /// Asks a person for friendship.
  ///
  /// - What: Sends a request; for somebody who already asked me it accepts instead.
  /// - How: The request shows at once as outgoing, and is taken back if the server refuses.
  /// - Why: A key press must show within a frame, however slow the network is.
  /// - Service Calls: `FriendsService.requestFriend`, `ProfileService.profile`
  /// - Parameter userID: The other person.
  public func requestFriend(_ userID: UUID) async {
    await requestFriend(userID, person: peopleResults.first { $0.id == userID })
  }

  /// Asks the person with this username; what is wrong with the name is said on the field.
  ///
  /// - What: Finds the person, then does what `requestFriend(_:)` does.
  /// - How: Looks for exactly this username; whoever blocks me does not exist.
  /// - Why: People know each other's names, not ids, and a typing error is not a failure.
  /// - Service Calls: `FriendsService.personToAsk`, `FriendsService.requestFriend`
  /// - Parameter username: As typed; an `@` in front is fine.
  /// - Returns: What to type instead; nil when the request was sent or its failure presented.
  public func requestFriend(username: String) async -> FieldProblem? {
    do {
      let person = try await friendsService.personToAsk(username: username)
      await requestFriend(person.id, person: person)
      return nil
    } catch let problem as FieldProblem {
      return problem
    } catch {
      presentFailure(
        error, title: "Request not sent",
        source: "requestFriend(username:)", updateLoadState: false)
      return nil
    }
  }

  func requestFriend(_ userID: UUID, person: CommunityProfile?) async {
    guard !isSettling(userID) else { return }
    if serverLists.incoming.contains(where: { $0.id == userID }) {
      await respondToFriendRequest(userID, action: .accept)
      return
    }
    let service = friendsService
    await settle(
      userID, as: person.map(SocialChange.requested), source: "requestFriend",
      failureTitle: "Request not sent"
    ) { clientID in
      try await service.requestFriend(userID: userID, clientID: clientID)
    }
  }

  /// Accepts, declines or cancels a friend request.
  ///
  /// - What: Settles a pending request and moves the person to the right list.
  /// - How: Moves the row at once, marks it as settling, asks the service, then commits; on
  ///   refusal the row returns as it was.
  /// - Why: A key press must show within a frame, however slow the network is, and only the
  ///   server knows whether the request still stands.
  /// - Service Calls: `FriendsService.respondToFriendRequest`,
  ///   `FriendsService.cancelFriendRequest`
  /// - Parameters:
  ///   - userID: The other person.
  ///   - action: Accept, decline, or cancel one's own request.
  public func respondToFriendRequest(
    _ userID: UUID, action: FriendRequestResponseAction
  ) async {
    guard !isSettling(userID) else { return }
    let service = friendsService
    let (change, title): (SocialChange, String) =
      switch action {
      case .accept: (.accepted(userID), "Request not accepted")
      case .decline: (.declined(userID), "Request not declined")
      case .cancel: (.cancelled(userID), "Request not cancelled")
      }
    await settle(
      userID, as: change, source: "respondToFriendRequest(\(action.rawValue))",
      failureTitle: title
    ) { clientID in
      switch action {
      case .accept, .decline:
        try await service.respondToFriendRequest(
          userID: userID, accept: action == .accept, clientID: clientID)
      case .cancel: try await service.cancelFriendRequest(userID: userID, clientID: clientID)
      }
    }
  }

  /// Ends a friendship.
  ///
  /// - What: Removes the friend once the server agreed.
  /// - How: The row stays, marked by `unfriendingProfileIDs`, until the answer; a friendship that
  ///   the other one ended meanwhile counts as ended.
  /// - Why: It cannot be undone, so it is shown as done only when it is; and a second key press
  ///   must not end a friendship that was made anew.
  /// - Service Calls: `FriendsService.removeFriend`
  /// - Parameter profile: The friend.
  public func unfriend(_ profile: CommunityProfile) async {
    guard !isSettling(profile.id) else { return }
    unfriendingProfileIDs.insert(profile.id)
    let service = friendsService
    await settle(
      profile.id, as: .unfriended(profile.id), isOptimistic: false, source: "unfriend",
      failureTitle: "\(profile.displayName) is still your friend"
    ) { clientID in
      do {
        try await service.removeFriend(userID: profile.id, clientID: clientID)
      } catch NetworkError.refused(let failure, _) where failure.reason == .notFriends {}
    }
  }

  /// Blocks a person: friendship, requests and presence end both ways.
  ///
  /// - What: Takes the person out of every list once the server agreed.
  /// - How: The row stays, marked as settling, until the answer.
  /// - Why: Whoever blocks must be able to rely on what is shown.
  /// - Service Calls: `FriendsService.blockUser`
  /// - Parameter profile: The person, friend or not.
  public func block(_ profile: CommunityProfile) async {
    guard !isSettling(profile.id) else { return }
    let service = friendsService
    let isDone = await settle(
      profile.id, as: .blocked(profile.id), isOptimistic: false, source: "block",
      failureTitle: "\(profile.displayName) is not blocked"
    ) { clientID in
      try await service.blockUser(userID: profile.id, clientID: clientID)
    }
    if isDone { blocksRevision += 1 }
  }

  /// Lifts a block; who was a friend before is a stranger now.
  ///
  /// - What: The person may see me, ask me and be asked again.
  /// - How: Marked as settling until the answer.
  /// - Why: It changes what the lists and the search may show.
  /// - Service Calls: `FriendsService.unblockUser`
  /// - Parameter profile: The blocked person.
  public func unblock(_ profile: CommunityProfile) async {
    guard !isSettling(profile.id) else { return }
    let service = friendsService
    let isDone = await settle(
      profile.id, as: .unblocked(profile.id), isOptimistic: false, source: "unblock",
      failureTitle: "\(profile.displayName) is still blocked"
    ) { clientID in
      try await service.unblockUser(userID: profile.id, clientID: clientID)
    }
    if isDone { blocksRevision += 1 }
  }

  /// Sends one intent about one person and commits what the server agreed to.
  ///
  /// The call is a task of the store's: it goes on when the screen that started it is gone.
  @discardableResult
  private func settle(
    _ userID: UUID, as change: SocialChange?, isOptimistic: Bool = true, source: String,
    failureTitle: String, call: @escaping @Sendable (_ clientID: UUID) async throws -> Void
  ) async -> Bool {
    let clientID = UUID()
    settlingProfileIDs.insert(userID)
    if isOptimistic, let change {
      pending[userID] = change
      publish()
    }
    let failure = await Task { () -> (any Error)? in
      do { try await call(clientID) } catch { return error }
      return nil
    }.value
    mutationEpoch += 1
    pending[userID] = nil
    if failure == nil, let change {
      serverLists.apply(change, at: .now)
      for index in peopleResults.indices where peopleResults[index].id == userID {
        peopleResults[index].friendshipStatus = change.statusAfter
      }
    }
    settlingProfileIDs.remove(userID)
    unfriendingProfileIDs.remove(userID)
    publish()
    // A refusal means that our lists are old; an offline server has nothing newer.
    if (failure as? NetworkError)?.isOffline != true { realtimeRefresh.schedule() }
    guard let failure else {
      saveSnapshot()
      return true
    }
    if manyFailures[userID] == nil {
      presentFailure(failure, title: failureTitle, source: source, updateLoadState: false)
    } else {
      log.error("\(source) — failed: \(failure.logLabel)")
      manyFailures[userID] = failure.sentence
    }
    return false
  }

  // MARK: - Friendship Realtime

  /// Follows changes of friendships and presence until `stopFriendshipsRealtimeListener`.
  ///
  /// - What: Fetches the lists again after each change and each gap; keeps presence current.
  /// - How: Events are hints; a burst of them becomes one fetch.
  /// - Why: The other person's key press must show here within a moment, and nothing is replayed
  ///   by the server.
  /// - Service Calls: `FriendsRealtimeService.listen`, `FriendsService.fetchFriends`,
  ///   `FriendsService.fetchFriendRequests`
  public func startFriendshipsRealtimeListener() {
    let isNew = listening.start { [service = friendsRealtimeService] in
      try await service.listen()
    } receive: { [weak self] in
      self?.receive($0)
    }
    if isNew { log.info("realtime — start") }
  }

  /// Leaves the channels; the lists stay as they are.
  public func stopFriendshipsRealtimeListener() {
    guard listening.stop({ [service = friendsRealtimeService] in await service.leave() }) else {
      return
    }
    log.info("realtime — stop")
    onlineIDs = nil
  }

  private func receive(_ event: FriendsRealtimeEvent) {
    switch event {
    case .live, .friendshipsChanged: realtimeRefresh.schedule()
    case .presence(let online):
      serverLists.markSeen((onlineIDs ?? []).subtracting(online), at: .now)
      onlineIDs = online
      publish()
    case .interrupted:
      // Who was online may have gone; the last fetch is the best that is known.
      onlineIDs = nil
      publish()
    }
  }

  private func refreshFriendshipData() async {
    _ = await fetchAndCommit(source: "refreshFriendshipData", isShown: false)
  }

  // MARK: - Polling

  /// Asks for the lists at an interval while realtime is off.
  ///
  /// - What: Keeps the lists near the truth when the policy left the realtime channels.
  /// - How: Fetches after each interval; a running poll with the same interval goes on.
  /// - Why: On a weak battery one request in 45 s costs less than a lively channel.
  /// - Service Calls: `FriendsService.fetchFriends`, `FriendsService.fetchFriendRequests`
  /// - Parameter interval: The time between two fetches; nil ends the polling.
  public func setPollInterval(_ interval: Duration?) {
    poller.set(interval) { [weak self] in await self?.refreshFriendshipData() }
  }

  // MARK: - Profile

  private func fetchCurrentProfile(forceRefresh: Bool) async -> CommunityProfile? {
    do {
      return try await profileService.fetchProfile(forceRefresh: forceRefresh)
    } catch {
      // The lists are fetched at the same time and say the same to the person.
      log.info("fetchProfile — failed: \(error.logLabel)")
      return nil
    }
  }

  // MARK: - Friendship Data

  /// Every page of the friends; a row that moved between two pages is taken once.
  private func fetchAllFriends() async throws -> [CommunityProfile] {
    try await Pages.all { [friendsService] offset in
      try await friendsService.fetchFriends(limit: Paging.maximumLimit, offset: offset)
    }
  }

  private func fetchPendingRequests() async throws -> (
    incoming: [FriendRequestItem], outgoing: [FriendRequestItem]
  ) {
    async let incoming = Pages.all { [friendsService] offset in
      try await friendsService.fetchFriendRequests(
        direction: .incoming, limit: Paging.maximumLimit, offset: offset)
    }
    async let outgoing = Pages.all { [friendsService] offset in
      try await friendsService.fetchFriendRequests(
        direction: .outgoing, limit: Paging.maximumLimit, offset: offset)
    }
    return try await (incoming, outgoing)
  }

  /// Shows what the server said, with the intents on top that are on their way.
  private func publish(isSearchAnswer: Bool = false) {
    var lists = serverLists
    for change in pending.values { lists.apply(change, at: .now) }
    if let onlineIDs { lists.setPresence(online: onlineIDs) }
    // A write that changes nothing would still wake every view that reads it.
    if friends != lists.friends {
      madeFriendsIndex = nil
      friends = lists.friends
    }
    if incomingRequests != lists.incoming { incomingRequests = lists.incoming }
    if outgoingRequests != lists.outgoing { outgoingRequests = lists.outgoing }
    guard hasFetched || !pending.isEmpty, !isSearchAnswer || !pending.isEmpty else { return }
    let people = lists.withStatus(peopleResults)
    if people != peopleResults { peopleResults = people }
  }

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async {
    saveSnapshot()
    await snapshots.finish()
  }

  private func saveSnapshot() {
    guard hasFetched, let asOf else { return }
    snapshots.save(SocialSnapshot(lists: serverLists, profile: profile, asOf: asOf))
  }
}

private struct SocialStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = SocialStore.inert()
}

extension EnvironmentValues {
  public var socialStore: SocialStore {
    get { self[SocialStoreKey.self] }
    set { self[SocialStoreKey.self] = newValue }
  }
}
