import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallyState
import RallySystem
import RallyWire

/// Friends, requests and people search of the signed-in person.
///
/// Shows what the server sent last with the pending intents applied on top, so that a refusal
/// needs no repair and a refresh in between loses nothing.
@MainActor
@Observable
public final class SocialStore: SynchronizedStore {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored let friendsService: FriendsService
  @ObservationIgnored private let profileService: ProfileService
  @ObservationIgnored private let friendsRealtimeService: FriendsRealtimeService

  // MARK: - State
  public var loadState: CommunityLoadState { synchronizer.loadState }
  /// The latest failure to show; the view clears it.
  public var presentedError: CommunityViewError?
  /// Sorted by name, ignoring case.
  public private(set) var friends: [CommunityProfile] = []
  /// Newest first.
  public private(set) var incomingRequests: [FriendRequestItem] = []
  /// Newest first.
  public private(set) var outgoingRequests: [FriendRequestItem] = []
  /// Who asks whom where they are.
  public private(set) var locationAsks = LocationAsks()
  /// People found by the current search text.
  public var peopleResults: [CommunityProfile] { peopleSearch.results }
  public var peopleSearchState: PeopleSearchState { peopleSearch.state }
  /// My own profile.
  public private(set) var profile: CommunityProfile?
  /// When the lists were fetched; nil before that, older than now if they are from the cache.
  public var asOf: WireTime? { synchronizer.asOf }
  /// Whether this program fetched them.
  public var hasFetched: Bool { synchronizer.hasFetched }
  /// Friends whose unfriending is on its way to the server; their rows stay until it agreed.
  public private(set) var unfriendingProfileIDs: Set<UUID> = []
  /// People with any intent on its way to the server.
  public var inFlightProfileIDs: Set<UUID> { synchronizer.inFlightIDs }
  /// The people whom I block, once `fetchBlocked` was called.
  public internal(set) var blocked: LoadableValue<[CommunityProfile], CommunityViewError> = .idle
  /// Increases when I block or unblock somebody, so that the blocked list loads again.
  public internal(set) var blocksRevision = 0

  /// The search index of `friends`; created when it is first used.
  @ObservationIgnored var madeFriendsIndex: SearchIndex?
  @ObservationIgnored var friendsFilter = GrowingFilter()
  @ObservationIgnored private var serverLists = SocialLists()
  @ObservationIgnored private var pending: [UUID: SocialChange] = [:]
  @ObservationIgnored private var versions = FriendshipVersions()
  /// People of whom an event came while an intent about them was on its way.
  @ObservationIgnored private var changedMeanwhile: Set<UUID> = []
  @ObservationIgnored private var onlineIDs: Set<UUID>?
  @ObservationIgnored private var askEnds = AskEnds()
  @ObservationIgnored private let endOfAsk = WallClockTimer { .steady }
  @ObservationIgnored let peopleSearch: PeopleSearch
  @ObservationIgnored let synchronizer: StoreSynchronizer<SocialStore>
  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("Social")

  // MARK: - Lifecycle

  public init(
    authService: AuthService = .shared, friendsService: FriendsService = .shared,
    profileService: ProfileService = .shared,
    friendsRealtimeService: FriendsRealtimeService = .shared,
    persistenceService: PersistenceService = .shared, timing: StoreTiming = StoreTiming(),
    now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.now = now
    self.friendsService = friendsService
    self.profileService = profileService
    self.friendsRealtimeService = friendsRealtimeService
    peopleSearch = PeopleSearch(friendsService: friendsService, pause: timing.searchPause)
    synchronizer = StoreSynchronizer(
      authService: authService, persistenceService: persistenceService, timing: timing, now: now)
    synchronizer.store = self
  }

  /// Shows what an earlier run cached, for the first frame.
  public func restoreFromCache() async { await synchronizer.restoreFromCache() }

  func restore(_ snapshot: SocialSnapshot) {
    profile = snapshot.profile
    var lists = snapshot.lists
    lists.asks.dropEnded(at: now())
    commit(lists)
  }

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async { await synchronizer.saveState() }

  func snapshot(asOf: WireTime) -> SocialSnapshot? {
    SocialSnapshot(lists: serverLists, profile: profile, asOf: asOf)
  }

  // MARK: - Refresh

  /// Fetches everything of the community for first entry and for a refresh by hand.
  ///
  /// - What: Reloads friends, requests, the own profile, and the people search if there is one.
  /// - How: Chooses the load state by mode, fetches concurrently, commits all or nothing; of
  ///   refreshes that overlap only the newest commits.
  /// - Why: Keeps the lists coherent after entry, a gap or a key press, whatever the network does.
  /// - Service Calls: `FriendsService.fetchFriends`, `FriendsService.fetchFriendRequests`,
  ///   `FriendsService.fetchLocationAsks`, `ProfileService.fetchProfile`,
  ///   `FriendsService.searchPeople`
  /// - Parameters:
  ///   - mode: Initial or by hand; by hand the profile is asked for anew.
  ///   - query: The current search text; an empty one leaves the search that there is.
  ///   - searchScope: Whom the text looks for.
  public func refreshAll(
    mode: CommunityRefreshMode, query: String = "", searchScope: CommunitySearchScope = .friends
  ) async {
    async let own = fetchCurrentProfile(forceRefresh: mode == .refresh)
    await synchronizer.refresh(mode)
    if let own = await own {
      profile = own
      synchronizer.saveSnapshot()
    }
    await peopleSearch.refresh(query: query, searchScope: searchScope) {
      publish(isSearchAnswer: true)
    }
  }

  func reconcile() async { await synchronizer.reconcile() }

  var fetchFailureTitle: String { "Friends could not be fetched" }

  var takesEvents: Bool { true }

  func fetch() async throws -> SocialLists {
    async let friends = fetchAllFriends()
    async let requests = fetchPendingRequests()
    async let asks = friendsService.fetchLocationAsks()
    let (incoming, outgoing) = try await requests
    return SocialLists(
      friends: try await friends, incoming: incoming, outgoing: outgoing,
      asks: LocationAsks(try await asks))
  }

  func commit(_ lists: SocialLists) {
    serverLists = lists
    if let onlineIDs { serverLists.setPresence(online: onlineIDs) }
    publish()
  }

  // MARK: - Friendship

  /// Whether something about this person is on its way to the server.
  public func isInFlight(_ userID: UUID) -> Bool {
    inFlightProfileIDs.contains(userID)
  }

  /// Asks a person for friendship.
  ///
  /// - What: Sends a request; for somebody who already asked me it accepts instead.
  /// - How: The request shows at once as outgoing, and is taken back if the server refuses.
  /// - Why: A key press must show within a frame, however slow the network is.
  /// - Service Calls: `FriendsService.requestFriend`
  /// - Parameter person: The other person.
  /// - Returns: `.outgoing`, or `.friends` if they had asked me already.
  @discardableResult
  public func requestFriend(
    _ person: CommunityProfile
  ) async -> IntentOutcome<FriendshipStatus> {
    if serverLists.incoming.contains(where: { $0.id == person.id }) {
      return await respondToFriendRequest(person.id, action: .accept)
    }
    return await sendAnsweredIntent(
      person.id, as: .requested(person), source: "requestFriend",
      failureTitle: "Request not sent"
    ) { service, clientID in
      // Our lists may not have shown that they had asked me, which makes us friends at once.
      try await service.requestFriend(userID: person.id, clientID: clientID)
    }
  }

  /// Asks the person with this username for friendship.
  ///
  /// - What: Finds the person, then does what `requestFriend(_:)` does.
  /// - How: Looks for exactly this username; people who block me are not found.
  /// - Why: People know each other's names, not ids, and a typing error is not a failure.
  /// - Service Calls: `FriendsService.personToAsk`, those of `requestFriend(_:)`
  /// - Parameter username: As typed, with or without `@`.
  /// - Returns: `.invalid` with what to type instead, or as `requestFriend(_:)`.
  @discardableResult
  public func requestFriend(username: String) async -> IntentOutcome<FriendshipStatus> {
    do {
      let person = try await friendsService.personToAsk(username: username)
      return await requestFriend(person)
    } catch let problem as FieldProblem {
      return .invalid(problem)
    } catch {
      return .refused(
        presentFailure(error, title: "Request not sent", source: "requestFriend(username:)"))
    }
  }

  /// Accepts, declines or cancels a friend request.
  ///
  /// - What: Answers a pending request and moves the person to the right list.
  /// - How: Moves the row at once, marks it as in flight, asks the service, then commits; on
  ///   refusal the row returns as it was.
  /// - Why: A key press must show within a frame, however slow the network is, and only the
  ///   server knows whether the request still stands.
  /// - Service Calls: `FriendsService.respondToFriendRequest`,
  ///   `FriendsService.cancelFriendRequest`
  /// - Parameters:
  ///   - userID: The other person.
  ///   - action: Accept, decline, or cancel one's own request.
  @discardableResult
  public func respondToFriendRequest(
    _ userID: UUID, action: FriendRequestResponseAction
  ) async -> IntentOutcome<FriendshipStatus> {
    let (change, title): (SocialChange, String) =
      switch action {
      case .accept: (.accepted(userID), "Request not accepted")
      case .decline: (.declined(userID), "Request not declined")
      case .cancel: (.cancelled(userID), "Request not cancelled")
      }
    return await sendIntent(
      userID, as: change, source: "respondToFriendRequest(\(action.rawValue))",
      failureTitle: title
    ) { service, clientID in
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
  /// - How: The row stays, marked by `unfriendingProfileIDs`, until the response; a friendship
  ///   that the other person ended meanwhile counts as ended.
  /// - Why: It cannot be undone, so it is shown as done only when it is; and a second key press
  ///   must not end a friendship that was made anew.
  /// - Service Calls: `FriendsService.removeFriend`
  /// - Parameter profile: The friend.
  @discardableResult
  public func unfriend(_ profile: CommunityProfile) async -> IntentOutcome<FriendshipStatus> {
    guard !isInFlight(profile.id) else { return .notStarted }
    unfriendingProfileIDs.insert(profile.id)
    defer { unfriendingProfileIDs.remove(profile.id) }
    return await sendIntent(
      profile.id, as: .unfriended(profile.id), isOptimistic: false, source: "unfriend",
      failureTitle: "\(profile.displayName) is still your friend"
    ) { service, clientID in
      do {
        try await service.removeFriend(userID: profile.id, clientID: clientID)
      } catch NetworkError.refused(let failure, _) where failure.reason == .notFriends {}
    }
  }

  /// Sends one intent about one person and commits what the server agreed to.
  func sendIntent(
    _ userID: UUID, as change: SocialChange, isOptimistic: Bool = true, source: String,
    failureTitle: String,
    call: @escaping @Sendable (FriendsService, _ clientID: UUID) async throws -> Void
  ) async -> IntentOutcome<FriendshipStatus> {
    await sendAnsweredIntent(
      userID, as: change, isOptimistic: isOptimistic, source: source, failureTitle: failureTitle
    ) {
      try await call($0, $1)
      return change.statusAfter
    }
  }

  /// As `sendIntent`, for a call whose answer says what we are to each other now.
  private func sendAnsweredIntent(
    _ userID: UUID, as change: SocialChange, isOptimistic: Bool = true, source: String,
    failureTitle: String,
    call: @escaping @Sendable (FriendsService, _ clientID: UUID) async throws -> FriendshipStatus
  ) async -> IntentOutcome<FriendshipStatus> {
    await synchronizer.perform(userID, source: source, failureTitle: failureTitle) {
      changedMeanwhile.remove(userID)
      guard isOptimistic else { return }
      pending[userID] = change
      publish()
    } call: { [friendsService] in
      try await call(friendsService, $0)
    } end: { status in
      pending[userID] = nil
      if let status {
        // The event of this change was first, or follows at once and has more than the answer.
        if status == change.statusAfter, changedMeanwhile.remove(userID) == nil {
          serverLists.apply(change, at: now(), online: onlineIDs)
        }
        peopleSearch.setStatus(status, of: userID)
      }
      publish()
    }
  }

  // MARK: - Friendship Realtime

  /// Follows changes of friendships, questions and presence until
  /// `stopFriendshipsRealtimeListener`.
  ///
  /// - What: Takes each change into the lists, fetches them after each gap, and keeps presence current.
  /// - How: An event brings who the person is and what they are to me; of one friendship the newest
  ///   version counts. Only what an event does not say is fetched.
  /// - Why: The other person's key press must show here within a moment, and nothing is replayed
  ///   by the server.
  /// - Service Calls: `FriendsRealtimeService.listen`, `FriendsService.fetchFriends`,
  ///   `FriendsService.fetchFriendRequests`, `FriendsService.fetchLocationAsks`
  public func startFriendshipsRealtimeListener() {
    synchronizer.startListening(friendsRealtimeService.listen) { $0.receive($1) }
  }

  /// Leaves the channels; the lists stay as they are.
  ///
  /// - What: Ends what `startFriendshipsRealtimeListener` began; nothing is fetched by it.
  /// - How: Leaves the channels in the background; presence is unknown from now on.
  /// - Why: The policy left realtime, and a channel that nobody reads costs both ends.
  /// - Service Calls: `FriendsRealtimeService.leave`
  public func stopFriendshipsRealtimeListener() {
    synchronizer.stopListening(friendsRealtimeService.leave)
  }

  func realtimeChanged(_ state: RealtimeState) {
    // Presence is unknown until it is received again; what was known last is the best until then.
    if state != .live {
      onlineIDs = nil
      versions = FriendshipVersions()
    }
    if state == .interrupted { publish() }
  }

  private func receive(_ change: FriendsChange) {
    switch change {
    case .relation(let news):
      guard versions.take(news) else { return }
      if isInFlight(news.userID) { changedMeanwhile.insert(news.userID) }
      if let profile = news.relation.profile { profileService.receive(CommunityProfile(profile)) }
      synchronizer.apply { store in
        store.serverLists.apply(news, online: store.onlineIDs)
        store.publish()
      }
    case .locationAsk(let friendID, let direction, let time):
      synchronizer.apply { store in
        store.serverLists.asks.set(time, of: friendID, direction)
        store.publish()
      }
    case .unknown: synchronizer.scheduleRefresh()
    case .presence(let online):
      let known = onlineIDs
      onlineIDs = online
      if let known {
        serverLists.markSeen(known.subtracting(online), at: now())
        serverLists.setPresence(online: online, of: online.subtracting(known))
      } else {
        serverLists.setPresence(online: online)
      }
      publish()
    }
  }

  // MARK: - Polling

  /// Fetches the lists at an interval while realtime is off.
  ///
  /// - What: Keeps the lists current when the policy left the realtime channels.
  /// - How: Fetches after each interval; a running poll with the same interval goes on.
  /// - Why: On a low battery one request in 45 s costs less than a busy channel.
  /// - Service Calls: `FriendsService.fetchFriends`, `FriendsService.fetchFriendRequests`,
  ///   `FriendsService.fetchLocationAsks`
  /// - Parameter interval: The time between two fetches; nil ends the polling.
  public func setPollInterval(_ interval: Duration?) {
    synchronizer.setInterval(interval)
  }

  // MARK: - Profile

  /// Fetches the profiles of people, whether or not they are friends.
  ///
  /// - What: Returns those that I may see; the lists stay as they are.
  /// - How: One request for all that are not cached.
  /// - Why: A mission names its members, but only their profiles say more about them.
  /// - Service Calls: `ProfileService.profiles(for:)`
  /// - Parameter userIDs: At most 500.
  public func fetchProfiles(of userIDs: [UUID]) async -> IntentOutcome<[CommunityProfile]> {
    do {
      return .done(try await profileService.profiles(for: userIDs))
    } catch {
      return .refused(
        presentFailure(error, title: "Profiles could not be fetched", source: "fetchProfiles"))
    }
  }

  private func fetchCurrentProfile(forceRefresh: Bool) async -> CommunityProfile? {
    do {
      return try await profileService.fetchProfile(forceRefresh: forceRefresh)
    } catch {
      // The lists are fetched at the same time and report the same failure.
      log.info("fetchProfile — failed: \(error.logLabel)")
      return nil
    }
  }

  // MARK: - Friendship Data

  /// All pages of the friends; a row that moved between two pages is returned once.
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

  /// Shows what the server sent last, with the pending intents applied on top.
  func publish(isSearchAnswer: Bool = false) {
    var lists = serverLists
    let (now, steady) = (now(), WireTime.steady)
    for change in pending.values { lists.apply(change, at: now, online: onlineIDs) }
    let nextEnd = askEnds.drop(from: &lists.asks, at: now, steady: steady)
    endOfAsk.set(nextEnd, now: steady) { [weak self] in self?.publish() }
    // A write that changes nothing would still wake every view that reads it. Of thousands the setter
    // compares, and once is enough.
    if !friends.sharesMemory(with: lists.friends) {
      madeFriendsIndex = nil
      friendsFilter = GrowingFilter()
      friends = lists.friends
    }
    if incomingRequests != lists.incoming { incomingRequests = lists.incoming }
    if outgoingRequests != lists.outgoing { outgoingRequests = lists.outgoing }
    if locationAsks != lists.asks { locationAsks = lists.asks }
    guard synchronizer.hasFetched || !pending.isEmpty, !isSearchAnswer || !pending.isEmpty else {
      return
    }
    peopleSearch.update(lists.withStatus(peopleResults))
  }
}

extension SocialStore {
  /// A store without a server: every fetch fails with `.notConfigured`, no listener starts.
  static func inert() -> SocialStore {
    let client = SupabaseClient()
    return SocialStore(
      authService: AuthService(client: client), friendsService: FriendsService(client: client),
      profileService: ProfileService(client: client),
      friendsRealtimeService: FriendsRealtimeService(client: client),
      persistenceService: PersistenceService())
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
