import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// The missions that I am in, that are near me and that are done, with their activity.
///
/// Shows what the server sent last with the pending intents applied on top. The response to an
/// intent is the mission itself and shows before the next fetch.
@MainActor
@Observable
public final class MissionsStore: SynchronizedStore {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored let missionsService: MissionsService
  @ObservationIgnored private let realtimeService: MissionActivityRealtimeService
  @ObservationIgnored let currentLocationProvider: CurrentLocationProvider
  @ObservationIgnored let privacyRules: PrivacyRulesService

  // MARK: - State
  public var loadState: CommunityLoadState { synchronizer.loadState }
  /// The latest failure to show; the view clears it.
  public var presentedError: CommunityViewError?
  /// Open ones that I am in or invited to, the one that ends first on top.
  public private(set) var active: [Mission] = []
  /// Open ones around me, the nearest first.
  public private(set) var nearby: [Mission] = []
  /// Those I was in that are over, the newest first; the newest 200.
  public private(set) var done: [Mission] = []
  public private(set) var nearbyState: NearbyState = .noPosition
  /// When the lists were fetched; nil before that, older than now if they are from the cache.
  public var asOf: WireTime? { synchronizer.asOf }
  /// Whether this program fetched them.
  public var hasFetched: Bool { synchronizer.hasFetched }
  public var isRealtimeLive: Bool { synchronizer.isLive }
  /// The time between two fetches while missions are visible and realtime is off; nil if no timer
  /// runs.
  public var pace: Duration? { synchronizer.pace }
  /// Missions with an intent on its way to the server.
  public var inFlightIDs: Set<UUID> { synchronizer.inFlightIDs }
  /// Who is on the way to my missions, or arrived, as far as they show it to me; and I.
  public private(set) var coming: [ComingRecord] = []
  /// Live missions that have started, where I may be asked to show the way.
  public private(set) var liveMissions: [Mission] = []
  public internal(set) var pendingCheckIns: [PendingCheckIn] = []
  /// The activity of missions that were opened; the key nil is all of mine.
  public internal(set) var feeds: [UUID?: MissionFeed] = [:]
  /// Lines that I posted and that the server has not accepted yet, in order.
  public internal(set) var pendingLines: [PendingLine] = []
  /// Me; nil before it is known.
  public private(set) var userID: UUID?
  /// The latest lines of others while realtime was on, the newest last; for notifications.
  public internal(set) var receivedLines: [MissionActivityRecord] = []
  /// Up to when the talk of each mission was seen here.
  var reading: TalkReading
  /// Increases with every change of the lists and of the opened missions.
  private var revision = 0

  @ObservationIgnored private var lists = MissionLists()
  @ObservationIgnored var leavingIDs: Set<UUID> = []
  @ObservationIgnored private(set) var events = MissionEvents()
  /// `events.count` when a check-in was made, by mission.
  @ObservationIgnored var checkInMarks: [UUID: Int] = [:]
  @ObservationIgnored private var knownFriends = KnownFriends()
  /// Friends who came or have another name since the first list of them: what an event or an answer says
  /// of a mission may be older.
  @ObservationIgnored private var names: [UUID: CommunityProfile] = [:]
  @ObservationIgnored private var nearbyCell: GridCell?
  @ObservationIgnored private var nearbyRadius = FetchMissions.defaultRadius
  @ObservationIgnored var creation = UnansweredCall<CreateMission>()
  /// The mission that is shown; it is kept current also where no list has it.
  @ObservationIgnored var openedID: UUID?
  @ObservationIgnored var activity = ActivityFeedCache()
  @ObservationIgnored let checkIns: CheckInQueue
  @ObservationIgnored let readingWriter: SnapshotWriter<TalkReading>
  @ObservationIgnored let once: AnnouncedKeysFile
  @ObservationIgnored let synchronizer: StoreSynchronizer<MissionsStore>
  @ObservationIgnored private lazy var activityHints = RefreshCoalescer(timing) { [weak self] in
    await self?.refreshWatchedFeeds()
  }
  @ObservationIgnored private let nextPhase = WallClockTimer()
  @ObservationIgnored private let timing: StoreTiming
  @ObservationIgnored let now: () -> WireTime
  let log = RallyLog.logger("Missions")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - privacyRules: What holds positions back.
  ///   - statePersistenceService: Where check-ins wait that the server has not accepted yet, and
  ///     where it is remembered which lines were seen and what was announced.
  ///   - now: The wall clock.
  public init(
    authService: AuthService = .shared, missionsService: MissionsService = .shared,
    missionActivityRealtimeService: MissionActivityRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    statePersistenceService: PersistenceService,
    currentLocationProvider: CurrentLocationProvider, privacyRules: PrivacyRulesService,
    timing: StoreTiming = StoreTiming(), now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.privacyRules = privacyRules
    self.missionsService = missionsService
    realtimeService = missionActivityRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.timing = timing
    self.now = now
    synchronizer = StoreSynchronizer(
      authService: authService, persistenceService: persistenceService, timing: timing,
      isVisible: false, now: now)
    checkIns = CheckInQueue(
      authService: authService, missionsService: missionsService,
      persistenceService: statePersistenceService, now: now)
    reading = TalkReading(since: now())
    readingWriter = SnapshotWriter(
      authService: authService, persistenceService: statePersistenceService,
      savePause: timing.savePause)
    once = AnnouncedKeysFile(
      authService: authService, persistenceService: statePersistenceService)
    synchronizer.store = self
    checkIns.delegate = self
  }

  /// Shows what an earlier run cached, for the first frame.
  ///
  /// - What: Fills the lists, `asOf` and the check-ins that wait from files of this machine.
  /// - How: Reads small files; a response of the server that came first is never replaced.
  /// - Why: The first frame must not wait for a network, and offline is a normal mode.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`,
  ///   `CurrentLocationProvider.restore`
  public func restoreFromCache() async {
    await currentLocationProvider.restore()
    await privacyRules.restore()
    await checkIns.restore()
    await restoreReading()
    if userID == nil { userID = await authService.currentUserID }
    await synchronizer.restoreFromCache()
  }

  func restore(_ snapshot: MissionsSnapshot) {
    lists = snapshot.lists(at: now())
    publish()
  }

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  ///
  /// - What: Writes lists, check-ins and what was seen.
  /// - How: Waits for the files.
  /// - Why: A program that stops must lose no check-in.
  /// - Service Calls: None
  public func saveState() async {
    await synchronizer.saveState()
    await checkIns.finish()
    await readingWriter.finish()
  }

  func snapshot(asOf: WireTime) -> MissionsSnapshot? { MissionsSnapshot(lists, asOf: asOf) }

  // MARK: - Lists

  /// A mission that any list has, or that was opened.
  public func mission(_ id: UUID) -> Mission? {
    // Read so that a view of a mission outside the lists observes its changes too.
    _ = revision
    return lists[id]
  }

  /// How many missions I am invited to.
  public var invitationCount: Int { active.count { $0.myState == .invited } }

  /// Whether an intent about this mission is on its way to the server.
  public func isInFlight(_ missionID: UUID) -> Bool { inFlightIDs.contains(missionID) }

  /// Shows what the server sent last, with the pending intents applied on top.
  func publish() {
    let time = now()
    lists.refile(at: time)
    let shown = lists.active.filter { !leavingIDs.contains($0.id) }
    // A write that changes nothing would still wake every view that reads it.
    if active != shown { active = shown }
    if done != lists.done { done = lists.done }
    let live = startedLive(active, at: time)
    if liveMissions != live { liveMissions = live }
    revision += 1
    publishNearby()
    nextPhase.set(lists.nextChange(after: time), now: time) { [weak self] in
      self?.publish()
      self?.synchronizer.scheduleRefresh()
    }
  }

  private func publishNearby() {
    let fix = currentLocationProvider.fix
    let state: NearbyState =
      if fix == nil { .noPosition } else if searchLevel == nil { .heldBack } else {
        .within(nearbyRadius)
      }
    if nearbyState != state { nearbyState = state }
    // Without a known position no mission is nearby.
    let shown = fix.map { Self.sorted(lists.nearby, from: $0.coordinate) } ?? []
    if nearby != shown { nearby = shown }
  }

  private static func sorted(_ missions: [Mission], from place: Coordinate) -> [Mission] {
    missions.map { (distance: place.distance(to: $0.centre), mission: $0) }
      .sorted { ($0.distance, $0.mission.id) < ($1.distance, $1.mission.id) }
      .map(\.mission)
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them: with a new one their missions come.
  ///
  /// - What: Fetches the lists again if there is a new friend, or one less; takes other names.
  /// - How: Compares with the friends that were handed over before. A friend's name is that of the list of
  ///   friends, also where an event of a mission comes late.
  /// - Why: With a friend their missions come, and without a channel nothing says so.
  /// - Service Calls: those of `refreshAll`
  public func updateFriends(_ friends: [CommunityProfile]) {
    guard let changes = knownFriends.changes(to: friends) else { return }
    for id in changes.removed { names[id] = nil }
    let named = changes.added + changes.renamed
    for friend in named { names[friend.id] = friend }
    // While the channel is live it brings the missions that come and go with a friend.
    if changes.isOfPeople, synchronizer.hasFetched, !synchronizer.isLive {
      synchronizer.scheduleRefresh()
    }
    guard !named.isEmpty else { return }
    // Also during a first fetch, which may have read the names before.
    let people = Dictionary(named.map { ($0.id, $0) }) { $1 }
    synchronizer.apply { store in
      store.lists.rename(people)
      let renamed = store.coming.map { $0.renamed(people) }
      if store.coming != renamed { store.coming = renamed }
      store.publish()
    }
  }

  /// My position has changed; nearby missions are fetched again when its cell did.
  ///
  /// - What: Sorts nearby missions anew, and fetches them in another cell.
  /// - How: The cell has hysteresis, so that a border is not crossed at each step.
  /// - Why: What is near depends on where I am, and the server learns no more than the cell.
  /// - Service Calls: those of `refreshAll`
  public func currentLocationChanged() {
    publishNearby()
    guard cell != nearbyCell else { return }
    // A first fetch that is under way looks around here then.
    guard synchronizer.hasFetched else { return synchronizer.invalidateFetches() }
    synchronizer.scheduleRefresh()
  }

  /// Sets whether the missions are on the screen; what was missed meanwhile is fetched at once.
  public func setVisible(_ isVisible: Bool) { synchronizer.setVisible(isVisible) }

  /// The cell around which nearby missions are fetched: of about a kilometre, or of the city in a
  /// zone that lets that leave.
  private var cell: GridCell? {
    guard let coordinate = currentLocationProvider.coordinate, let level = searchLevel else {
      return nil
    }
    return GridCell.following(nearbyCell, at: coordinate, level: level)
  }

  /// How exactly my surroundings may be asked about; nil for not at all.
  private var searchLevel: GridLevel? {
    privacyRules.limit(of: currentLocationProvider).searchLevel
  }

  // MARK: - Refresh

  /// Fetches the three lists for first entry and for a refresh by hand.
  ///
  /// - What: Reloads the lists, the mission and the activity that are looked at, and sends the
  ///   check-ins that wait.
  /// - How: Fetches concurrently, commits all or nothing; of refreshes that overlap only the newest
  ///   commits, and one that an intent made outdated is fetched again.
  /// - Why: Nothing is replayed by the server, so that a first look and every gap need a fetch.
  /// - Service Calls: `MissionsService.fetchAllMissions`, `MissionsService.fetchComing`,
  ///   `MissionsService.fetchMission`, `MissionsService.fetchMissionActivity`,
  ///   `MissionsService.checkIn`
  /// - Parameter mode: Initial or by hand.
  public func refreshAll(mode: CommunityRefreshMode) async {
    async let feeds: Void = refreshWatchedFeeds()
    await synchronizer.refresh(mode)
    await feeds
  }

  func reconcile() async { await synchronizer.reconcile() }

  /// Doubles the radius of nearby missions, up to the whole world.
  ///
  /// - What: Doubles the radius of the nearby list and fetches it.
  /// - How: As a refresh by hand; the new radius shows at once.
  /// - Why: The nearest mission may be more than 50 km away.
  /// - Service Calls: those of `refreshAll`
  public func widenNearby() async {
    nearbyRadius = min(nearbyRadius * 2, FetchMissions.radii.upperBound)
    publishNearby()
    await synchronizer.refresh(.refresh, source: "widenNearby")
  }

  var fetchFailureTitle: String { "Missions could not be fetched" }

  var takesEvents: Bool { true }

  /// Without a network, only the tab that is shown says so.
  func fetchFailed(_ error: any Error) -> Bool {
    synchronizer.isVisible || (error as? NetworkError)?.isOffline != true
  }

  struct Fetched: Sendable {
    var lists: MissionLists
    var opened: Mission?
    var coming: [ComingRecord]
    var userID: UUID?
  }

  func fetch() async throws -> Fetched {
    await privacyRules.restore()
    nearbyCell = cell
    async let coming = missionsService.fetchComing()
    let fetched = try await fetchLists(around: nearbyCell?.center)
    return Fetched(
      lists: fetched, opened: await fetchOpened(besides: fetched), coming: try await coming,
      userID: await authService.currentUserID)
  }

  func commit(_ fetched: Fetched) {
    userID = fetched.userID
    if coming != fetched.coming { coming = fetched.coming }
    lists.replace(with: fetched.lists, at: now())
    if let opened = fetched.opened { lists.merge(opened, at: now()) }
    publish()
    checkIns.startSending()
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

  /// The mission that is shown, if no list has it.
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

  /// Takes the mission that the server responded with.
  ///
  /// - Parameter mark: `events.count` when it was asked.
  func take(_ mission: Mission, since mark: Int) {
    synchronizer.invalidateFetches()
    merge(mission, since: mark)
    publish()
    synchronizer.saveSnapshot()
  }

  /// The event of my change was first, or follows at once. What another one brought meanwhile may
  /// be newer than the response, for who is in a mission has no version.
  func merge(_ mission: Mission, since mark: Int) {
    if synchronizer.isLive, events.has(mission.id, since: mark) { return }
    lists.merge(mission.renamed(names), at: now())
  }

  // MARK: - Realtime

  /// Follows missions and their activity until `stopMissionsRealtimeListener`.
  ///
  /// - What: Takes each mission and each line that changes, and fetches lists and activity after each
  ///   gap.
  /// - How: An event brings the whole mission as I see it, with who is on the way; of one mission the
  ///   newest version counts. Only what an event does not say is fetched.
  /// - Why: Changes of one member must show at the others at once.
  /// - Service Calls: `MissionActivityRealtimeService.listen`, those of `refreshAll`
  public func startMissionsRealtimeListener() {
    synchronizer.startListening(realtimeService.listen) { $0.receive($1) }
  }

  /// Leaves the channel; what is shown stays.
  ///
  /// - What: Ends what `startMissionsRealtimeListener` began.
  /// - How: Leaves the channel in the background.
  /// - Why: The policy left realtime.
  /// - Service Calls: `MissionActivityRealtimeService.leave`
  public func stopMissionsRealtimeListener() {
    synchronizer.stopListening(realtimeService.leave)
  }

  func realtimeChanged(_ state: RealtimeState) {
    if state == .live { activityHints.schedule() } else { events.forgetTimes() }
  }

  private func receive(_ change: MissionChange) {
    switch change {
    case .mission(let news, let time):
      // One that is older than another is a hint: what it says may not hold any more.
      guard let mission = Mission(news.mission), events.isNews(of: mission.id, at: time) else {
        return synchronizer.scheduleRefresh()
      }
      events.take(mission.id)
      synchronizer.apply { store in
        store.take(mission.renamed(store.names), coming: news.coming)
      }
    case .removed(let id, let time):
      guard events.isNews(of: id, at: time) else { return synchronizer.scheduleRefresh() }
      synchronizer.apply { store in
        store.lists.remove(id)
        store.coming.removeAll { $0.missionID == id }
        store.publish()
      }
    case .activity(let line):
      if line.kind == .said { receive(line) }
      takeLine(line)
    case .unknown: synchronizer.scheduleRefresh()
    }
  }

  /// Takes a mission as an event brought it.
  private func take(_ mission: Mission, coming rows: [ComingRecord]) {
    lists.merge(
      mission,
      circle: nearbyCell.map {
        MissionLists.Circle(centre: $0.center, radiusMetres: nearbyRadius)
      }, isOpened: openedID == mission.id, at: now())
    let others = coming.filter { $0.missionID != mission.id }
    let shown = others + rows.map { $0.renamed(names) }
    if coming != shown { coming = shown }
    publish()
  }

  // MARK: - Polling

  /// Fetches the lists at an interval while realtime is off.
  ///
  /// - What: Keeps the lists current when the policy left the realtime channel.
  /// - How: The timer runs only while the missions are visible.
  /// - Why: On a low battery one request in 45 s costs less than a busy channel.
  /// - Service Calls: those of `refreshAll`
  /// - Parameter interval: The time between two fetches; nil ends the polling.
  public func setPollInterval(_ interval: Duration?) { synchronizer.setInterval(interval) }

  func poll() async {
    await reconcile()
    await refreshWatchedFeeds()
  }
}

extension MissionsStore {
  /// A store without a server: every call fails with `.notConfigured`, no listener starts.
  static func inert() -> MissionsStore {
    let client = SupabaseClient()
    return MissionsStore(
      authService: AuthService(client: client), missionsService: MissionsService(client: client),
      missionActivityRealtimeService: MissionActivityRealtimeService(client: client),
      persistenceService: PersistenceService(), statePersistenceService: PersistenceService(),
      currentLocationProvider: .inert(), privacyRules: .inert())
  }
}

private struct MissionsStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = MissionsStore.inert()
}

extension EnvironmentValues {
  public var missionsStore: MissionsStore {
    get { self[MissionsStoreKey.self] }
    set { self[MissionsStoreKey.self] = newValue }
  }
}
