import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// My position, and who may see it.
///
/// Reconciles the server's state with local intent: shows what the server sent last with the
/// pending decisions applied on top. The summary never claims less sharing than the server may
/// still do.
@MainActor
@Observable
public final class LocationSharingStore: SynchronizedStore {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored let locationsService: LocationsService
  @ObservationIgnored let ghostService: GhostService
  @ObservationIgnored let sharingRealtimeService: SharingRealtimeService
  @ObservationIgnored let currentLocationProvider: CurrentLocationProvider
  /// My zones and sharing hours.
  public let privacyRules: PrivacyRulesService
  @ObservationIgnored let placeFinder: PlaceFinder

  // MARK: - State
  public var loadState: CommunityLoadState { synchronizer.loadState }
  /// The latest failure to show; the view clears it.
  public var presentedError: CommunityViewError?
  /// Who may see how much of me, with my decisions that are on their way; nil before it is known.
  public private(set) var sharing: SharingTable?
  /// How many friends may see me; nil before it is known.
  public private(set) var summary: SharingSummary?
  /// When it was fetched; nil before that, older than now if it is from the cache.
  public var asOf: WireTime? { synchronizer.asOf }
  /// Friends whose sharing is on its way to the server.
  public private(set) var inFlightFriendIDs: Set<UUID> = []
  /// Whether the default is on its way to the server.
  public private(set) var isDefaultInFlight = false
  /// What `undoSharing` would take back; nil when there is nothing.
  public internal(set) var lastSharingChange: SharingChange?
  /// Whether I am a ghost, or on the way to it.
  public internal(set) var ghostPhase: GhostPhase?
  /// Whether the server, asked to hide me, knew of no ghosts: then all that I shared is off.
  @ObservationIgnored public internal(set) var isAllTurnedOff = false
  /// Whether the shown sharing may be out of date. Nothing was fetched yet, a fetch failed, or the
  /// connection was lost since, so that another client of mine may have changed it.
  public internal(set) var isUnconfirmed = true
  /// The links that show me to whoever has their address, the oldest first.
  public internal(set) var links: [WatchLinkRecord] = []
  /// The last position that this program sent; nil for none.
  public internal(set) var lastReport: SentReport?
  /// The time between two fetches; nil, and no timer, while no map is seen and nothing is shared,
  /// or while the channel brings every change and no position waits to be sent.
  public private(set) var pace: Duration?

  @ObservationIgnored private(set) var serverSharing: SharingTable?
  @ObservationIgnored private var pendingSharing: [UUID?: SharingSetting] = [:]
  @ObservationIgnored private let sharingTurns = TaskTurns()
  @ObservationIgnored let ghostTurns = TaskTurns()
  @ObservationIgnored var isGhostInFlight = false
  @ObservationIgnored let positionPublisher: PositionPublisher
  @ObservationIgnored let synchronizer: StoreSynchronizer<LocationSharingStore>
  /// Whether the channel was lost and is not back.
  @ObservationIgnored var isInterrupted = false
  @ObservationIgnored private(set) var syncInterval: Duration?
  @ObservationIgnored var sampler = PositionSampler()
  /// Whether the last position could not be sent.
  @ObservationIgnored var hasFailed = false
  /// The polling interval while nothing is shared and no map is visible.
  @ObservationIgnored private var listInterval: Duration?
  @ObservationIgnored private var isMapVisible = false
  @ObservationIgnored private var isLocatingMe = false
  /// Whether this terminal feeds a link, which needs a position.
  @ObservationIgnored private var isWatched = false
  @ObservationIgnored private var knownFriends = KnownFriends()
  /// Who was either a friend or had a setting, but not both, when this was last compared.
  @ObservationIgnored private var unmatchedIDs: Set<UUID> = []
  @ObservationIgnored private let endOfShare = WallClockTimer()
  @ObservationIgnored let now: () -> WireTime
  let log = RallyLog.logger("LocationSharing")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - privacyRules: What holds positions back.
  ///   - placeFinder: What finds the names of places.
  ///   - now: The wall clock.
  public init(
    authService: AuthService = .shared, locationsService: LocationsService = .shared,
    ghostService: GhostService,
    sharingRealtimeService: SharingRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    currentLocationProvider: CurrentLocationProvider, privacyRules: PrivacyRulesService,
    placeFinder: PlaceFinder = .none, timing: StoreTiming = StoreTiming(),
    now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.locationsService = locationsService
    self.privacyRules = privacyRules
    self.ghostService = ghostService
    self.sharingRealtimeService = sharingRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.placeFinder = placeFinder
    self.now = now
    positionPublisher = PositionPublisher(locationsService: locationsService, now: now)
    synchronizer = StoreSynchronizer(
      authService: authService, persistenceService: persistenceService, timing: timing, now: now)
    synchronizer.store = self
    positionPublisher.delegate = self
  }

  /// Shows what an earlier run cached, for the first frame.
  ///
  /// - What: Fills sharing, my own position and the ghost from files of this machine.
  /// - How: Reads three small files; a response of the server that came first is never replaced.
  /// - Why: The status bar says from the first frame on who may see me.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`,
  ///   `CurrentLocationProvider.restore`, `GhostService.isPending`
  public func restoreFromCache() async {
    await currentLocationProvider.restore()
    await privacyRules.restore()
    let isPending = await ghostService.isPending()
    guard !synchronizer.hasFetched, await authService.currentUserID != nil else { return }
    if isPending { ghostPhase = .pending }
    await synchronizer.restoreFromCache()
  }

  func restore(_ snapshot: SharingSnapshot) {
    serverSharing = snapshot.sharing
    if ghostPhase == nil, snapshot.sharing.isGhost { ghostPhase = .gone }
    publishSharing()
  }

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async { await synchronizer.saveState() }

  func snapshot(asOf: WireTime) -> SharingSnapshot? {
    serverSharing.map { SharingSnapshot(sharing: $0, asOf: asOf) }
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them: a new one sees what the default says.
  ///
  /// - What: Takes new friends, former ones and other names into the table.
  /// - How: Fetches it again where only the server knows what a new friend sees, and where no channel
  ///   is live.
  /// - Why: A new friend sees what the default says, and that must be shown.
  /// - Service Calls: those of `refreshAll`
  public func updateFriends(_ friends: [CommunityProfile]) {
    let isFirst = !knownFriends.isKnown
    let changes = knownFriends.changes(to: friends)
    // Otherwise the fetch compares.
    guard synchronizer.hasFetched else { return }
    if isFirst { return compareFriends() }
    guard let changes else { return }
    if changes.isOfPeople,
      !synchronizer.isLive || serverSharing?.takes(changes, at: now()) != true
    {
      return synchronizer.scheduleRefresh()
    }
    synchronizer.apply { store in
      store.serverSharing?.take(changes)
      store.publishSharing()
    }
  }

  /// Fetches again where the friends are others than those with a setting: of the two lists one was
  /// read before a change, the other after it. Once for each difference, for the server may have one.
  private func compareFriends() {
    guard let serverSharing else { return }
    let unmatched = knownFriends.difference(from: serverSharing.friends.lazy.map(\.id))
    let isNew = !unmatched.isEmpty && unmatched != unmatchedIDs
    unmatchedIDs = unmatched
    if isNew { synchronizer.scheduleRefresh() }
  }

  // MARK: - Refresh

  /// Fetches who sees what of me, for first entry and for a refresh by hand.
  ///
  /// - What: Reloads the default and every friend's sharing, finishes a ghost that is still
  ///   pending, and sends my own position if it is due.
  /// - How: Of refreshes that overlap only the newest commits.
  /// - Why: Sharing also changes from other terminals, and pending changes are sent once the
  ///   connection works.
  /// - Service Calls: `LocationsService.fetchLocationSharing`, `PrivacyService.fetchRules`,
  ///   `LocationsService.publishLocations`, `GhostService.complete`
  /// - Parameter mode: Initial or by hand.
  public func refreshAll(mode: CommunityRefreshMode) async {
    privacyRules.accountChanged()
    if await synchronizer.refresh(mode) { await bringInLine() }
  }

  func reconcile() async {
    if await synchronizer.reconcile() { await bringInLine() }
  }

  /// Brings the server's state in line with the local intent.
  private func bringInLine() async {
    compareFriends()
    if ghostPhase == .pending {
      // A running step may have begun before the network was back.
      await completeGhost(isShown: false)
    }
    await publishIfChanged()
  }

  var fetchFailureTitle: String { "Sharing could not be fetched" }

  func fetch() async throws -> (rows: [LocationSharingRecord], phase: GhostPhase?) {
    // Before the account's rules are known nothing is sent.
    async let rules: Void = privacyRules.refreshAccount()
    let rows = try await locationsService.fetchLocationSharing()
    try await rules
    return (rows, await ghostService.phase(by: rows))
  }

  func fetchFailed(_ error: any Error) -> Bool {
    isUnconfirmed = true
    updatePace()
    return true
  }

  func commit(_ fetched: (rows: [LocationSharingRecord], phase: GhostPhase?)) {
    // Another terminal of mine may have started or ended ghost mode.
    if !isGhostInFlight, ghostPhase != .pending { ghostPhase = fetched.phase }
    takeSharing(fetched.rows)
  }

  func takeSharing(_ rows: [LocationSharingRecord]) {
    let fetched = SharingTable(rows)
    serverSharing = fetched
    positionPublisher.fetched(fetched.mostExactLocation.flatMap(OwnPosition.init))
    if isUnconfirmed, !isInterrupted { isUnconfirmed = false }
    publishSharing()
  }

  /// Nothing is claimed of what is shared before it is fetched again.
  func forgetSharing() { (serverSharing, sharing, summary) = (nil, nil, nil) }

  // MARK: - Sharing

  /// Whether this device or the server has a position of mine.
  public var isPlaceKnown: Bool {
    currentLocationProvider.fix != nil || serverSharing?.mostExactLocation != nil
  }

  /// Whether a decision is on its way to the server; nil is the default.
  public func isInFlight(_ friendID: UUID?) -> Bool {
    friendID.map(inFlightFriendIDs.contains) ?? isDefaultInFlight
  }

  /// Sets what a friend, or by default everybody, may see.
  ///
  /// - What: Changes one decision, and sends my position if somebody may see more of it now.
  /// - How: Shows at once and is taken back if the server refuses; decisions keep their order. The
  ///   summary counts the more generous one until the server agreed. Sharing ends ghost mode, with
  ///   all else that is shared off.
  /// - Why: A key press must show within a frame, but nobody may be told that they are hidden
  ///   before they are.
  /// - Service Calls: `LocationsService.setLocationSharing`, `LocationsService.publishLocations`,
  ///   `LocationsService.fetchLocationSharing`
  /// - Parameters:
  ///   - friendID: The friend; nil for the default.
  ///   - until: When it ends and the default holds again; nil for no end.
  /// - Returns: The change, which `undoSharing(_:)` takes back.
  @discardableResult
  public func setSharing(
    _ mode: SharingMode, for friendID: UUID?, until: WireTime? = nil
  ) async -> IntentOutcome<SharingChange> {
    let outcome = await decideSharing(mode, for: friendID, until: until)
    if outcome.isDone { await publishIfChanged() }
    return outcome
  }

  /// As `setSharing`, but does not wait until a position that is due was sent.
  ///
  /// - What: Changes one decision.
  /// - How: As `setSharing`; the position follows at the next pace.
  /// - Why: Who decides for several friends sends one position, not one for each.
  /// - Service Calls: `LocationsService.setLocationSharing`,
  ///   `LocationsService.fetchLocationSharing`
  @discardableResult
  public func decideSharing(
    _ mode: SharingMode, for friendID: UUID?, until: WireTime? = nil
  ) async -> IntentOutcome<SharingChange> {
    let before = sharing?.decision(for: friendID)
    let setting = SharingSetting(mode, until: until)
    let endsGhost = mode > .off && ghostPhase == .gone
    let outcome = await sendDecision(
      setting, for: friendID, endsGhost: endsGhost, failureTitle: "Sharing not changed"
    ).map { SharingChange(friendID: friendID, before: before, after: $0) }
    if let change = outcome.value {
      lastSharingChange = change
      // Who else shares now is the server's to say.
      if endsGhost { await refetchAfterGhost() }
    }
    return outcome
  }

  /// Undoes the last decision: the friend has the former setting, or follows the default again.
  ///
  /// - What: The inverse of the last `setSharing`, once.
  /// - How: A decision that was not there before ends by itself half a minute later, with what the
  ///   default says until then. The server has no other way to remove one.
  /// - Why: A wrong key must not leave a friend with a setting that outlives the default.
  /// - Service Calls: `LocationsService.setLocationSharing`
  @discardableResult
  public func undoSharing() async -> IntentOutcome<SharingSetting> {
    guard let change = lastSharingChange else { return .notStarted }
    return await undoSharing(change)
  }

  /// Undoes a decision that need not be the last one.
  ///
  /// - What: The inverse of one decision.
  /// - How: As `undoSharing()`.
  /// - Why: Several decisions of one key are undone together.
  /// - Service Calls: `LocationsService.setLocationSharing`, those of `publishIfChanged`
  @discardableResult
  public func undoSharing(_ change: SharingChange) async -> IntentOutcome<SharingSetting> {
    if lastSharingChange == change { lastSharingChange = nil }
    var setting = change.before
    if let before = setting, !before.holds(at: now()) { setting = nil }
    let inverse =
      setting
      ?? SharingSetting(
        sharing?.general(at: now()).mode ?? .off, until: now().advanced(by: .seconds(30)))
    let outcome = await sendDecision(
      inverse, for: change.friendID, failureTitle: "Sharing not taken back")
    await publishIfChanged()
    return outcome
  }

  /// Sends one decision after the earlier ones, so that the server gets them in order.
  private func sendDecision(
    _ setting: SharingSetting, for friendID: UUID?, endsGhost: Bool = false, failureTitle: String
  ) async -> IntentOutcome<SharingSetting> {
    pendingSharing[friendID] = setting
    publishSharing()
    let service = locationsService
    let response: Result<SharingSetting, any Error>
    do {
      try await sharingTurns.run {
        try await service.setLocationSharing(
          userID: friendID, mode: setting.mode, until: setting.until,
          endsGhost: endsGhost ? true : nil)
      }
      response = .success(setting)
    } catch {
      response = .failure(error)
    }
    synchronizer.invalidateFetches()
    // A newer decision about the same friend stays pending.
    if pendingSharing[friendID] == setting { pendingSharing[friendID] = nil }
    if case .success = response { serverSharing?.set(setting, for: friendID) }
    publishSharing()
    return synchronizer.conclude(response, source: "setSharing", failureTitle: failureTitle)
  }

  /// Shows what the server sent last with the pending decisions applied, and counts what it may
  /// still do.
  func publishSharing() {
    let inFlight = Set(pendingSharing.keys.compactMap(\.self))
    if inFlightFriendIDs != inFlight { inFlightFriendIDs = inFlight }
    if isDefaultInFlight != pendingSharing.keys.contains(nil) { isDefaultInFlight.toggle() }
    defer { updatePace() }
    let time = now()
    // Also one that ended before the response arrived, for which no timer runs.
    serverSharing?.dropEnded(at: time)
    guard let serverSharing else { return }
    var shown = serverSharing
    for (friendID, setting) in pendingSharing { shown.set(setting, for: friendID) }
    if sharing != shown { sharing = shown }
    let agreed = serverSharing.summary(at: time)
    let wanted = pendingSharing.isEmpty ? agreed : shown.summary(at: time)
    let cautious = SharingSummary(agreed: agreed, wanted: wanted, ghost: ghostPhase)
    if summary != cautious { summary = cautious }
    endOfShare.set(serverSharing.nextEnd(after: time), now: time) { [weak self] in
      self?.shareEnded()
    }
  }

  /// A timed share has ended by the clock, whether or not the server can be reached.
  private func shareEnded() {
    publishSharing()
    synchronizer.scheduleRefresh()
  }

  // MARK: - Pace

  /// Takes the pace of the map's sync from the runtime policy.
  ///
  /// - What: Sends my position if it changed, and fetches who sees what, at this interval.
  /// - How: Sources measure only while the map is visible, something is shared or a ghost is
  ///   pending. Then a timer runs too, unless the channel is live and nothing waits to be sent.
  /// - Why: The policy limits the program's work, and no timer runs unless it is needed.
  /// - Service Calls: those of `refreshAll`
  /// - Parameter interval: The time between two fetches; nil for none.
  public func setSyncInterval(_ interval: Duration?) {
    syncInterval = interval
    updatePace()
  }

  /// Fetches sharing at this interval while its realtime is off; nil ends it.
  ///
  /// - What: Keeps sharing current while the policy left the channel.
  /// - How: The pace of the map wins where both would run.
  /// - Why: On a low battery one request in 45 s costs less than a busy channel.
  /// - Service Calls: those of `refreshAll`
  public func setPollInterval(_ interval: Duration?) {
    listInterval = interval
    updatePace()
  }

  /// Sets whether the map is on the screen.
  ///
  /// - What: Sources measure and sharing is fetched while the map is seen.
  /// - How: Works out the pace anew.
  /// - Why: Nothing ticks for nobody.
  /// - Service Calls: `CurrentLocationProvider.startTracking`,
  ///   `CurrentLocationProvider.stopTracking`
  public func setMapVisible(_ isVisible: Bool) {
    isMapVisible = isVisible
    updatePace()
  }

  /// Lets the sources measure where I am while the map is on the screen, from now on; until then
  /// they are only asked while somebody may see me.
  ///
  /// - What: Sources measure while the map is on the screen.
  /// - How: Remembered until the program ends.
  /// - Why: A receiver is switched on only where somebody asked for it.
  /// - Service Calls: `CurrentLocationProvider.startTracking`
  public func locateMe() {
    isLocatingMe = true
    updatePace()
  }

  /// Lets the sources measure while this terminal feeds a link.
  func setWatched(_ isWatched: Bool) {
    guard isWatched != self.isWatched else { return }
    self.isWatched = isWatched
    updatePace()
  }

  func updatePace() {
    let isShared = (summary?.sharedCount ?? 0) > 0
    let isActive = isMapVisible || isShared || ghostPhase == .pending
    if isWatched || isActive && (isShared || ghostPhase == .pending || isLocatingMe) {
      currentLocationProvider.startTracking()
    } else {
      currentLocationProvider.stopTracking()
    }
    let wanted = isActive && needsPolling ? syncInterval : nil
    if pace != wanted { pace = wanted }
    synchronizer.setInterval(wanted ?? listInterval)
  }

  /// Whether anything has to be tried again, or fetched that the channel does not bring.
  private var needsPolling: Bool {
    !synchronizer.isLive || isUnconfirmed || ghostPhase == .pending || isReportPending
      || privacyRules.kept.needsWithdrawal
  }
}

extension LocationSharingStore {
  /// A store without a server: every call fails with `.notConfigured`, no timer starts.
  static func inert() -> LocationSharingStore {
    LocationSharingStore(
      authService: AuthService(client: SupabaseClient()),
      locationsService: LocationsService(client: SupabaseClient()), ghostService: .inert(),
      sharingRealtimeService: SharingRealtimeService(client: SupabaseClient()),
      persistenceService: PersistenceService(), currentLocationProvider: .inert(),
      privacyRules: .inert())
  }
}

private struct LocationSharingStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = LocationSharingStore.inert()
}

extension EnvironmentValues {
  public var locationSharingStore: LocationSharingStore {
    get { self[LocationSharingStoreKey.self] }
    set { self[LocationSharingStoreKey.self] = newValue }
  }
}
