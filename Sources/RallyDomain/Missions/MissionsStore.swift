import Foundation
import Logging
import Observation
import RallyWire

/// The missions that I am in, that are near me and that are done, with their activity.
///
/// What is shown is what the server said last with my intents on top that are on their way; the
/// answer to an intent is the mission itself and shows before the next fetch.
@MainActor
@Observable
public final class MissionsStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored let missionsService: MissionsService
  @ObservationIgnored private let realtimeService: MissionActivityRealtimeService
  @ObservationIgnored let currentLocationProvider: CurrentLocationProvider

  // MARK: - State
  public internal(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  /// Open ones that I am in or invited to, the one that ends first on top.
  public private(set) var active: [Mission] = []
  /// Open ones around me, the nearest first.
  public private(set) var nearby: [Mission] = []
  /// Those I was in that are over, the newest first; the newest 200.
  public private(set) var done: [Mission] = []
  public private(set) var nearbyState: NearbyState = .noPosition
  /// When the lists were fetched; nil before they were, older than now from the cache.
  public private(set) var asOf: WireTime?
  public private(set) var isRealtimeLive = false
  /// The time between two fetches while somebody looks and realtime is off; nil when no timer runs.
  public private(set) var pace: Duration?
  /// Missions whose joining, leaving, inviting or ending is under way.
  public private(set) var settlingIDs: Set<UUID> = []
  public internal(set) var pendingCheckIns: [PendingCheckIn] = []
  /// The activity of missions that were opened; the key nil is all of mine.
  public internal(set) var feeds: [UUID?: MissionFeed] = [:]
  /// What I said and the server does not have yet, in the order it was said.
  public internal(set) var pendingLines: [PendingLine] = []
  /// Me; nil before it is known.
  public private(set) var userID: UUID?
  /// What others said while realtime was on, the newest last; the last few, for news.
  public internal(set) var heardLines: [MissionActivityRecord] = []

  @ObservationIgnored private var lists = MissionLists()
  @ObservationIgnored private var leavingIDs: Set<UUID> = []
  /// What is acted on now as one of many, and why it failed; empty while it has not.
  @ObservationIgnored private var manyFailures: [UUID: String] = [:]
  @ObservationIgnored private var friends: [CommunityProfile]?
  @ObservationIgnored private var nearbyCell: GridCell?
  @ObservationIgnored private var nearbyRadius = FetchMissions.defaultRadius
  /// The creation whose answer never came.
  @ObservationIgnored var unansweredCreation: CreateMission?
  @ObservationIgnored private var hasFetched = false
  @ObservationIgnored private var refreshGeneration = 0
  @ObservationIgnored private var mutationEpoch = 0
  /// The mission that is looked at; it is kept current also where no list has it.
  @ObservationIgnored var openedID: UUID?
  @ObservationIgnored var activity = ActivityFeedCache()
  @ObservationIgnored let checkIns: CheckInQueue
  @ObservationIgnored private let snapshots: SnapshotWriter<MissionsSnapshot>
  @ObservationIgnored private let listening = RealtimeListening()
  @ObservationIgnored private(set) lazy var hints = RefreshCoalescer(
    shortest: timing.refreshPause, longest: timing.longestRefreshPause
  ) { [weak self] in await self?.reconcile() }
  @ObservationIgnored private lazy var activityHints = RefreshCoalescer(
    shortest: timing.refreshPause, longest: timing.longestRefreshPause
  ) { [weak self] in await self?.refreshWatchedFeeds() }
  @ObservationIgnored private let poller = Poller()
  @ObservationIgnored private var pollInterval: Duration?
  @ObservationIgnored private var isVisible = false
  @ObservationIgnored private let nextPhase = Alarm()
  @ObservationIgnored private let timing: SocialStore.Timing
  @ObservationIgnored let now: () -> WireTime
  let log = RallyLog.logger("Missions")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - statePersistenceService: Where check-ins wait that the server does not have yet.
  ///   - now: The wall clock.
  public init(
    authService: AuthService = .shared, missionsService: MissionsService = .shared,
    missionActivityRealtimeService: MissionActivityRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    statePersistenceService: PersistenceService,
    currentLocationProvider: CurrentLocationProvider,
    timing: SocialStore.Timing = SocialStore.Timing(), now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.missionsService = missionsService
    realtimeService = missionActivityRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.timing = timing
    self.now = now
    snapshots = SnapshotWriter(
      authService: authService, persistenceService: persistenceService,
      savePause: timing.savePause)
    checkIns = CheckInQueue(
      authService: authService, missionsService: missionsService,
      persistenceService: statePersistenceService, now: now)
    followCheckIns()
  }

  /// Shows what was seen last, for the first frame.
  ///
  /// - What: Fills the lists, `asOf` and the check-ins that wait from files of this machine.
  /// - How: Reads three small files; an answer of the server that came first is never replaced.
  /// - Why: The first frame must not wait for a network, and offline is a normal mode.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`,
  ///   `CurrentLocationProvider.restore`
  public func restoreFromCache() async {
    await currentLocationProvider.restore()
    await checkIns.restore()
    if userID == nil { userID = await authService.currentUserID }
    guard !hasFetched, let snapshot = await snapshots.read(), !hasFetched else { return }
    lists = snapshot.lists(at: now())
    asOf = snapshot.asOf
    if loadState == .loading { loadState = .refreshing }
    publish()
  }

  // MARK: - Lists

  /// A mission that any list knows, or that was opened.
  public func mission(_ id: UUID) -> Mission? {
    // Read so that a view of a mission outside the lists is told of its changes too.
    _ = revision
    return lists[id]
  }

  /// Grows with every change of the lists and of the missions that were opened.
  private var revision = 0

  /// How many missions I am invited to: what waits on me.
  public var invitationCount: Int { active.count { $0.myState == .invited } }

  /// How many open missions I am in.
  public var activeCount: Int { active.count { $0.myState == .joined } }

  /// Whether something about this mission is on its way to the server.
  public func isSettling(_ missionID: UUID) -> Bool { settlingIDs.contains(missionID) }

  /// Shows what the server said, with the intents on top that are on their way.
  private func publish() {
    let time = now()
    lists.refile(at: time)
    let shown = lists.active.filter { !leavingIDs.contains($0.id) }
    // A write that changes nothing would still wake every view that reads it.
    if active != shown { active = shown }
    if done != lists.done { done = lists.done }
    revision += 1
    publishNearby()
    nextPhase.set(lists.nextChange(after: time), now: time) { [weak self] in
      self?.publish()
      self?.hints.schedule()
    }
  }

  private func publishNearby() {
    let fix = currentLocationProvider.fix
    let state: NearbyState = fix == nil ? .noPosition : .within(nearbyRadius)
    if nearbyState != state { nearbyState = state }
    // What was near a place that I am not known to be at is near nothing.
    let shown = fix.map { Self.sorted(lists.nearby, from: $0.coordinate) } ?? []
    if nearby != shown { nearby = shown }
  }

  private static func sorted(_ missions: [Mission], from place: Coordinate) -> [Mission] {
    missions.map { (distance: place.distance(to: $0.centre), mission: $0) }
      .sorted { ($0.distance, $0.mission.id.uuidString) < ($1.distance, $1.mission.id.uuidString) }
      .map(\.mission)
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them: with a new one their missions come.
  public func updateFriends(_ friends: [CommunityProfile]) {
    let known = self.friends.map { Set($0.map(\.id)) }
    self.friends = friends
    if let known, known != Set(friends.map(\.id)), hasFetched { hints.schedule() }
  }

  /// The friends who can be invited: those who are not in the mission and not asked already.
  public func friendsToInvite(to missionID: UUID) -> [CommunityProfile] {
    let present = Set((mission(missionID)?.members ?? []).map(\.userID))
    return (friends ?? []).filter { !present.contains($0.id) }
  }

  /// My own position has changed; missions nearby are asked for again when its square did.
  public func currentLocationChanged() {
    publishNearby()
    if hasFetched, cell != nearbyCell { hints.schedule() }
  }

  /// Whether somebody looks at the missions now; what was missed meanwhile is fetched at once.
  public func setVisible(_ isVisible: Bool) {
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    updatePace()
    if isVisible, hasFetched, !isRealtimeLive { hints.schedule() }
  }

  /// The square of about a kilometre that nearby missions are looked for from.
  private var cell: GridCell? {
    currentLocationProvider.coordinate.map {
      GridCell.following(nearbyCell, at: $0, level: .oneKilometre)
    }
  }

  // MARK: - Refresh

  /// Fetches the three lists for first entry and for a refresh by hand.
  ///
  /// - What: Reloads the lists, the mission and the activity that are looked at, and sends the
  ///   check-ins that wait.
  /// - How: Fetches concurrently, commits all or nothing; of refreshes that overlap only the
  ///   newest commits, and one that an intent overtook is fetched again.
  /// - Why: Nothing is replayed by the server, so that a first look and every gap need a fetch.
  /// - Service Calls: `MissionsService.fetchAllMissions`,
  ///   `MissionsService.fetchMission`, `MissionsService.fetchMissionActivity`,
  ///   `MissionsService.checkIn`
  /// - Parameter mode: Initial or by hand.
  public func refreshAll(mode: CommunityRefreshMode) async {
    loadState = mode == .initial && asOf == nil ? .loading : .refreshing
    async let feeds: Void = refreshWatchedFeeds()
    await fetchAndCommit(source: "refreshAll", isShown: true)
    await feeds
  }

  private func reconcile() async { await fetchAndCommit(source: "reconcile", isShown: false) }

  /// Looks for missions twice as far away as now, up to the whole world.
  ///
  /// - What: Doubles the radius of the nearby list and fetches it.
  /// - How: As a refresh by hand; the new radius shows at once.
  /// - Why: Where nobody plays within 50 km, the next mission may still be worth a journey.
  /// - Service Calls: those of `refreshAll`
  public func widenNearby() async {
    nearbyRadius = min(nearbyRadius * 2, FetchMissions.radii.upperBound)
    publishNearby()
    loadState = .refreshing
    await fetchAndCommit(source: "widenNearby", isShown: true)
  }

  /// - Parameter isShown: A failure is shown; otherwise only the load state says it.
  private func fetchAndCommit(source: String, isShown: Bool) async {
    refreshGeneration += 1
    let generation = refreshGeneration
    do {
      guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
      var fetched = MissionLists()
      var opened: Mission?
      var isSamePerson = true
      var epoch: Int
      repeat {
        // A list that was read before an intent settled may not show it yet.
        epoch = mutationEpoch
        nearbyCell = cell
        fetched = try await fetchLists(around: nearbyCell?.center)
        opened = await fetchOpened(besides: fetched)
        isSamePerson = await authService.currentUserID == userID
      } while epoch != mutationEpoch && generation == refreshGeneration
      guard generation == refreshGeneration, isSamePerson else { return }
      self.userID = userID
      lists.replace(with: fetched, at: now())
      if let opened { lists.merge(opened, at: now()) }
      hasFetched = true
      asOf = now()
      loadState = .loaded
      publish()
      saveSnapshot()
      checkIns.startSending()
    } catch {
      guard generation == refreshGeneration else { return }
      if error.isExpectedError() {
        loadState = hasFetched ? .loaded : .loading
      } else {
        presentFailure(
          error, title: "Missions could not be fetched", source: source,
          // Where the network is gone, the tab that is looked at says so.
          isPresented: isShown && (isVisible || (error as? NetworkError)?.isOffline != true))
      }
    }
  }

  private func fetchLists(around place: Coordinate?) async throws -> MissionLists {
    async let active = missionsService.fetchAllMissions(scope: .active)
    async let done = missionsService.fetchAllMissions(scope: .done, limit: Paging.maximumLimit)
    var nearby: [Mission] = []
    if let place {
      nearby = try await missionsService.fetchAllMissions(
        scope: .nearby, around: place, radiusMetres: nearbyRadius, limit: Paging.maximumLimit)
    }
    return MissionLists(
      active: try await active, nearby: nearby, done: try await done, at: now())
  }

  /// The mission that is looked at, where no list has it.
  private func fetchOpened(besides fetched: MissionLists) async -> Mission? {
    guard let openedID, !fetched.lists(openedID) else { return nil }
    do {
      return try await missionsService.fetchMission(openedID)
    } catch NetworkError.refused(let failure, _) where failure.reason == .notFound {
      lists.remove(openedID)
    } catch {
      log.info("fetchOpened — failed: \(error.logLabel)")
    }
    return nil
  }

  /// Takes the server's answer about one mission at once.
  func take(_ mission: Mission) {
    mutationEpoch += 1
    lists.merge(mission, at: now())
    publish()
    saveSnapshot()
  }

  // MARK: - Being In It

  /// Joins a mission, or accepts the invitation to it.
  ///
  /// - What: I am in it once the server agreed; whether there is room only the server knows.
  /// - How: The row is marked as settling until the answer, which is the mission as it stands then.
  /// - Why: A place that somebody else took a moment ago must not be shown as mine.
  /// - Service Calls: `MissionsService.joinMission`
  public func join(_ missionID: UUID) async {
    let service = missionsService
    await settle(missionID, source: "join", failureTitle: "Not joined") {
      try await service.joinMission(missionID, clientID: $0)
    }
  }

  /// Leaves a mission, or declines the invitation to it.
  ///
  /// - What: The mission leaves my list at once, and returns if the server refuses.
  /// - How: Its row is left out while the call is under way.
  /// - Why: Leaving is undone by joining, so that nothing is lost by showing it early.
  /// - Service Calls: `MissionsService.leaveMission`
  public func leave(_ missionID: UUID) async {
    let service = missionsService
    await settle(missionID, isLeaving: true, source: "leave", failureTitle: "Not left") {
      try await service.leaveMission(missionID, clientID: $0)
    }
  }

  /// Ends a mission of mine as done.
  ///
  /// - What: The mission is completed for everybody once the server agreed.
  /// - How: Marked as settling until the answer.
  /// - Why: It cannot be undone, so it is shown as done only when it is.
  /// - Service Calls: `MissionsService.completeMission`
  public func complete(_ missionID: UUID) async {
    let service = missionsService
    await settle(missionID, source: "complete", failureTitle: "Not completed") {
      try await service.completeMission(missionID, clientID: $0)
    }
  }

  /// Calls a mission of mine off.
  ///
  /// - What: The mission is cancelled for everybody once the server agreed.
  /// - How: Marked as settling until the answer.
  /// - Why: It cannot be undone, so it is shown as done only when it is.
  /// - Service Calls: `MissionsService.cancelMission`
  public func cancel(_ missionID: UUID) async {
    let service = missionsService
    await settle(missionID, source: "cancel", failureTitle: "Not cancelled") {
      try await service.cancelMission(missionID, clientID: $0)
    }
  }

  /// Asks friends of mine to join.
  ///
  /// - What: They see the mission from now on, and that they are asked.
  /// - How: Marked as settling until the answer; then the mission is fetched with its new members.
  /// - Why: Whom the server lets me ask, only the server knows.
  /// - Service Calls: `MissionsService.inviteToMission`
  public func invite(_ userIDs: [UUID], to missionID: UUID) async {
    guard !userIDs.isEmpty else { return }
    let service = missionsService
    await settle(missionID, source: "invite", failureTitle: "Not invited") {
      try await service.inviteToMission(missionID, userIDs: userIDs, clientID: $0)
      return nil
    }
  }

  /// Sends one intent about one mission and takes what the server answered.
  ///
  /// The call is a task of the store's: it goes on when the screen that started it is gone.
  private func settle(
    _ missionID: UUID, isLeaving: Bool = false, source: String, failureTitle: String,
    call: @escaping @Sendable (_ clientID: UUID) async throws -> Mission?
  ) async {
    guard settlingIDs.insert(missionID).inserted else { return }
    if isLeaving {
      leavingIDs.insert(missionID)
      publish()
    }
    let clientID = UUID()
    let answer = await Task { () -> Result<Mission?, any Error> in
      do { return .success(try await call(clientID)) } catch { return .failure(error) }
    }.value
    mutationEpoch += 1
    leavingIDs.remove(missionID)
    if case .success(let mission?) = answer { lists.merge(mission, at: now()) }
    publish()
    settlingIDs.remove(missionID)
    switch answer {
    case .success:
      saveSnapshot()
      hints.schedule()
    case .failure(let error):
      // A refusal means that our lists are old; an offline server has nothing newer.
      if (error as? NetworkError)?.isOffline != true { hints.schedule() }
      if manyFailures[missionID] == nil {
        presentFailure(error, title: failureTitle, source: source, updateLoadState: false)
      } else {
        log.error("\(source) — failed: \(error.logLabel)")
        manyFailures[missionID] = error.sentence
      }
    }
  }

  /// Joins several missions, or leaves them, one after the other.
  ///
  /// - What: Each is settled as if it were joined or left alone; nothing is presented, the answer
  ///   says how it went.
  /// - How: `join` or `leave` for one after the other; one that fails does not hold up the rest.
  /// - Why: A person who acts on many wants one answer, not one for each.
  /// - Service Calls: `MissionsService.joinMission`, `MissionsService.leaveMission`
  /// - Returns: Those with which it was done, and for the others a sentence that says why not.
  public func settle(
    _ missions: [Mission], byJoining: Bool
  ) async -> (done: [Mission], failures: [(mission: Mission, sentence: String)]) {
    var done: [Mission] = []
    var failures: [(mission: Mission, sentence: String)] = []
    for mission in missions {
      guard !settlingIDs.contains(mission.id) else {
        failures.append((mission, "Something else is on its way to the server."))
        continue
      }
      manyFailures[mission.id] = ""
      if byJoining { await join(mission.id) } else { await leave(mission.id) }
      let failure = manyFailures.removeValue(forKey: mission.id) ?? ""
      if failure.isEmpty { done.append(mission) } else { failures.append((mission, failure)) }
    }
    return (done, failures)
  }

  // MARK: - Realtime

  /// Follows missions and their activity until `stopMissionsRealtimeListener`.
  ///
  /// - What: Fetches lists and activity again after each change and each gap.
  /// - How: Events are hints; a burst of them becomes one fetch.
  /// - Why: What one member does must show at the others' within a moment.
  /// - Service Calls: `MissionActivityRealtimeService.listen`, those of `refreshAll`
  public func startMissionsRealtimeListener() {
    let isNew = listening.start { [service = realtimeService] in
      try await service.listen()
    } receive: { [weak self] in
      self?.receive($0)
    }
    if isNew { log.info("realtime — start") }
  }

  /// Leaves the channel; what is shown stays.
  public func stopMissionsRealtimeListener() {
    guard listening.stop({ [service = realtimeService] in await service.leave() }) else { return }
    log.info("realtime — stop")
    if isRealtimeLive { isRealtimeLive = false }
  }

  private func receive(_ event: MissionActivityRealtimeEvent) {
    switch event {
    case .live:
      isRealtimeLive = true
      hints.schedule()
      activityHints.schedule()
    case .interrupted: isRealtimeLive = false
    case .changed: hints.schedule()
    case .activity(let missionID, let said):
      if let said { hear(said) }
      if activity.isWatched(missionID) { activityHints.schedule() }
    }
  }

  // MARK: - Polling

  /// Asks for the lists at an interval while realtime is off.
  ///
  /// - What: Keeps the lists near the truth when the policy left the realtime channel.
  /// - How: The timer runs only while somebody looks at the missions.
  /// - Why: On a weak battery one request in 45 s costs less than a lively channel.
  /// - Service Calls: those of `refreshAll`
  /// - Parameter interval: The time between two fetches; nil ends the polling.
  public func setPollInterval(_ interval: Duration?) {
    pollInterval = interval
    updatePace()
  }

  private func updatePace() {
    let wanted = isVisible ? pollInterval : nil
    if pace != wanted { pace = wanted }
    poller.set(wanted) { [weak self] in
      await self?.reconcile()
      await self?.refreshWatchedFeeds()
    }
  }

  // MARK: - Cache

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async {
    saveSnapshot()
    await snapshots.finish()
    await checkIns.finish()
  }

  private func saveSnapshot() {
    guard hasFetched, let asOf else { return }
    snapshots.save(MissionsSnapshot(lists, asOf: asOf))
  }
}
