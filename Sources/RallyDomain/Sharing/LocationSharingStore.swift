import Foundation
import Logging
import Observation
import RallyEnvironment
import RallyWire

/// Where I am, and who may see it.
///
/// What is shown of sharing is what the server said last with my decisions on top that are on
/// their way; the summary never claims less sharing than the server may still do.
@MainActor
@Observable
public final class LocationSharingStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let locationsService: LocationsService
  @ObservationIgnored let ghostService: GhostService
  @ObservationIgnored let sharingRealtimeService: SharingRealtimeService
  @ObservationIgnored let currentLocationProvider: CurrentLocationProvider
  @ObservationIgnored private let placeFinder: PlaceFinder

  // MARK: - State
  public internal(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  /// Who may see how much of me, with my decisions that are on their way; nil before it is known.
  public private(set) var sharing: SharingTable?
  /// How many friends may see me; nil before it is known.
  public private(set) var summary: SharingSummary?
  /// When it was fetched; nil before it was, older than now from the cache.
  public private(set) var asOf: WireTime?
  /// Friends whose sharing is on its way to the server.
  public private(set) var settlingFriendIDs: Set<UUID> = []
  /// Whether the default is on its way to the server.
  public private(set) var isDefaultSettling = false
  /// What `undoSharing` would take back; nil when there is nothing.
  public private(set) var lastSharingChange: SharingChange?
  /// Whether I am a ghost, or on the way to it.
  public internal(set) var ghostPhase: GhostPhase?
  /// Whether another client of mine may have changed what is shown without this one hearing of it:
  /// nothing was fetched yet, a fetch failed, or the connection was lost since the last one.
  public internal(set) var isUnconfirmed = true
  /// The time between two looks; nil, and no timer, while no map is seen and nothing is shared.
  public private(set) var pace: Duration?

  @ObservationIgnored private var serverSharing: SharingTable?
  @ObservationIgnored private var pendingSharing: [UUID?: SharingSetting] = [:]
  @ObservationIgnored private var sharingTask: Task<Void, Never>?
  @ObservationIgnored private var ghostTask: Task<Void, Never>?
  @ObservationIgnored private(set) var isGhostSettling = false
  @ObservationIgnored private(set) var own: OwnPosition?
  @ObservationIgnored private var sent: (position: OwnPosition, at: WireTime)?
  /// The position whose response has not arrived; its event may come first.
  @ObservationIgnored private var sending: OwnPosition?
  @ObservationIgnored private var isPublishing = false
  @ObservationIgnored private var isPublishWanted = false
  @ObservationIgnored private var hasFetched = false
  @ObservationIgnored private var refreshGeneration = 0
  @ObservationIgnored private var mutationEpoch = 0
  @ObservationIgnored private let snapshots: SnapshotWriter<SharingSnapshot>
  @ObservationIgnored let listening = RealtimeListening()
  /// Whether the channel was lost and is not back.
  @ObservationIgnored var isInterrupted = false
  @ObservationIgnored let listPoller = Poller()
  @ObservationIgnored lazy var hints = RefreshCoalescer(
    shortest: timing.refreshPause, longest: timing.longestRefreshPause
  ) { [weak self] in await self?.reconcile() }
  @ObservationIgnored private let poller = Poller()
  @ObservationIgnored private var syncInterval: Duration?
  @ObservationIgnored private var isMapVisible = false
  @ObservationIgnored private var friendIDs: Set<UUID>?
  @ObservationIgnored private let endOfShare = Alarm()
  @ObservationIgnored private let timing: SocialStore.Timing
  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("LocationSharing")

  // MARK: - Lifecycle

  /// - Parameters:
  ///   - placeFinder: What knows the names of places.
  ///   - now: The wall clock.
  public init(
    authService: AuthService = .shared, locationsService: LocationsService = .shared,
    ghostService: GhostService = .shared,
    sharingRealtimeService: SharingRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    currentLocationProvider: CurrentLocationProvider, placeFinder: PlaceFinder = .none,
    timing: SocialStore.Timing = SocialStore.Timing(), now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.locationsService = locationsService
    self.ghostService = ghostService
    self.sharingRealtimeService = sharingRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.placeFinder = placeFinder
    self.timing = timing
    snapshots = SnapshotWriter(
      authService: authService, persistenceService: persistenceService,
      savePause: timing.savePause)
    self.now = now
  }

  /// Shows what was seen last, for the first frame.
  ///
  /// - What: Fills sharing, my own position and the ghost from files of this machine.
  /// - How: Reads three small files; an answer of the server that came first is never replaced.
  /// - Why: The status bar says from the first frame on who may see me.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`,
  ///   `CurrentLocationProvider.restore`, `GhostService.phase`
  public func restoreFromCache() async {
    await currentLocationProvider.restore()
    let phase = await ghostService.phase()
    guard !hasFetched, await authService.currentUserID != nil else { return }
    if ghostPhase == nil { ghostPhase = phase }
    guard let snapshot = await snapshots.read(), !hasFetched else { return }
    serverSharing = snapshot.sharing
    asOf = snapshot.asOf
    if loadState == .loading { loadState = .refreshing }
    publishSharing()
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them: a new one sees what the default says.
  public func updateFriends(_ friends: [CommunityProfile]) {
    let ids = Set(friends.map(\.id))
    defer { friendIDs = ids }
    if let friendIDs, friendIDs != ids, hasFetched { hints.schedule() }
  }

  // MARK: - Refresh

  /// Fetches who sees what of me, for first entry and for a refresh by hand.
  ///
  /// - What: Reloads the default and every friend's sharing, finishes a ghost that is still
  ///   pending, and sends my own position if it is due.
  /// - How: Of refreshes that overlap only the newest commits.
  /// - Why: Sharing changes from other terminals too, and what is still on its way after a
  ///   broken connection goes out at the first one that works.
  /// - Service Calls: `LocationsService.fetchLocationSharing`,
  ///   `LocationsService.publishLocations`, `GhostService.complete`
  /// - Parameter mode: Initial or by hand.
  public func refreshAll(mode: CommunityRefreshMode) async {
    loadState = mode == .initial && asOf == nil ? .loading : .refreshing
    if await fetchAndCommit(source: "refreshAll", isShown: true) { await bringInLine() }
  }

  func reconcile() async {
    if await fetchAndCommit(source: "reconcile", isShown: false) { await bringInLine() }
  }

  /// Makes what the server has of me what it should have.
  private func bringInLine() async {
    if ghostPhase == .pending {
      // A step that is under way may have begun before the network came back.
      await settleGhost(isShown: false)
    } else if ghostPhase == .gone, !isGhostSettling, summary?.sharedCount ?? 0 > 0 {
      // Another terminal of mine shares again: what was shared before the ghost is past.
      await forgetGhost()
    }
    await publishIfChanged()
  }

  /// - Parameter isShown: A failure is shown; otherwise only the load state says it.
  private func fetchAndCommit(source: String, isShown: Bool) async -> Bool {
    refreshGeneration += 1
    let generation = refreshGeneration
    do {
      guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
      var epoch: Int
      var rows: [LocationSharingRecord] = []
      var phase: GhostPhase?
      var isSamePerson = false
      repeat {
        // What was read before an intent settled may not show it yet.
        epoch = mutationEpoch
        rows = try await locationsService.fetchLocationSharing()
        phase = await ghostService.phase()
        isSamePerson = await authService.currentUserID == userID
      } while epoch != mutationEpoch && generation == refreshGeneration
      // Nothing is awaited from here on: what was checked still holds when it is committed.
      guard generation == refreshGeneration, isSamePerson else { return false }
      // Another terminal of mine may have gone or come back.
      if !isGhostSettling, ghostPhase != .pending { ghostPhase = phase }
      takeSharing(rows)
      return true
    } catch {
      guard generation == refreshGeneration else { return false }
      isUnconfirmed = true
      if error.isExpectedError() {
        loadState = hasFetched ? .loaded : .loading
      } else {
        presentFailure(
          error, title: "Sharing could not be fetched",
          source: source, isPresented: isShown)
      }
      return false
    }
  }

  private func takeSharing(_ rows: [LocationSharingRecord]) {
    let fetched = SharingTable(rows)
    serverSharing = fetched
    own = OwnPosition.known(
      shown: fetched.mostExactLocation.flatMap(OwnPosition.init), sent: sent, at: now())
    hasFetched = true
    if isUnconfirmed, !isInterrupted { isUnconfirmed = false }
    asOf = now()
    loadState = .loaded
    publishSharing()
    saveSnapshot()
  }

  // MARK: - Sharing

  /// Who sees what of me, in the words of the status bar; a doubt stands first, since a narrow
  /// terminal cuts the rest.
  public var sharingSentence: String {
    guard let summary else { return "sharing not known yet" }
    return isUnconfirmed ? "unconfirmed: \(summary.sentence)" : summary.sentence
  }

  /// Whether a decision is on its way to the server; nil is the default.
  public func isSettling(_ friendID: UUID?) -> Bool {
    friendID.map(settlingFriendIDs.contains) ?? isDefaultSettling
  }

  /// Decides how much a friend, or by default everybody, may see.
  ///
  /// - What: Changes one decision, and sends my position if somebody may see more of it now.
  /// - How: Shows at once and is taken back if the server refuses; decisions keep their order. The
  ///   summary counts the more generous one until the server agreed. Who shares is no ghost.
  /// - Why: A key press must show within a frame, but nobody may be told that they are hidden
  ///   before they are.
  /// - Service Calls: `LocationsService.setLocationSharing`, `LocationsService.publishLocations`,
  ///   `GhostService.forget`
  /// - Parameters:
  ///   - friendID: The friend; nil for the default.
  ///   - until: When it ends and the default holds again; nil for no end.
  /// - Returns: Whether the server agreed.
  @discardableResult
  public func setSharing(
    _ mode: SharingMode, for friendID: UUID?, until: WireTime? = nil
  ) async -> Bool {
    guard await decideSharing(mode, for: friendID, until: until) != nil else { return false }
    await publishIfChanged()
    return true
  }

  /// As `setSharing`, but returns what can be undone; a position that is due follows by itself.
  public func decideSharing(
    _ mode: SharingMode, for friendID: UUID?, until: WireTime? = nil
  ) async -> SharingChange? {
    let before = sharing?.decision(for: friendID)
    let setting = SharingSetting(mode, until: until)
    guard await settle(setting, for: friendID, failureTitle: "Sharing not changed") else {
      return nil
    }
    let change = SharingChange(friendID: friendID, before: before, after: setting)
    lastSharingChange = change
    if mode > .off, ghostPhase == .gone { await forgetGhost() }
    return change
  }

  /// Takes the last decision back: the friend has what they had, or follows the default again.
  ///
  /// - What: The inverse of the last `setSharing`, once.
  /// - How: A decision that was not there before ends by itself half a minute later, with what
  ///   the default says until then: the server has no other way to take one back.
  /// - Why: A slip on a key must not leave a friend with a decision that outlives the default.
  /// - Service Calls: `LocationsService.setLocationSharing`
  public func undoSharing() async {
    if let change = lastSharingChange { await undoSharing(change) }
  }

  /// Takes a decision back that need not be the last one.
  public func undoSharing(_ change: SharingChange) async {
    if lastSharingChange == change { lastSharingChange = nil }
    var setting = change.before
    if let before = setting, !before.holds(at: now()) { setting = nil }
    let general = sharing?.general ?? SharingSetting(.off)
    let inverse =
      setting
      ?? SharingSetting(
        general.holds(at: now()) ? general.mode : .off, until: now().advanced(by: .seconds(30)))
    await settle(inverse, for: change.friendID, failureTitle: "Sharing not taken back")
    await publishIfChanged()
  }

  @discardableResult
  private func settle(
    _ setting: SharingSetting, for friendID: UUID?, failureTitle: String
  ) async -> Bool {
    pendingSharing[friendID] = setting
    publishSharing()
    let earlier = sharingTask
    let service = locationsService
    let sending = Task { () -> (any Error)? in
      await earlier?.value
      do {
        try await service.setLocationSharing(
          userID: friendID, mode: setting.mode, until: setting.until)
      } catch {
        return error
      }
      return nil
    }
    sharingTask = Task { _ = await sending.value }
    let failure = await sending.value
    mutationEpoch += 1
    // A newer decision about the same friend stays on its way.
    if pendingSharing[friendID] == setting { pendingSharing[friendID] = nil }
    if failure == nil { serverSharing?.set(setting, for: friendID) }
    publishSharing()
    if (failure as? NetworkError)?.isOffline != true { hints.schedule() }
    guard let failure else {
      saveSnapshot()
      return true
    }
    presentFailure(
      failure, title: failureTitle, source: "setSharing",
      updateLoadState: false)
    return false
  }

  /// Shows what the server said with my decisions on top, and counts what it may still do.
  func publishSharing() {
    let settling = Set(pendingSharing.keys.compactMap(\.self))
    if settlingFriendIDs != settling { settlingFriendIDs = settling }
    if isDefaultSettling != pendingSharing.keys.contains(nil) { isDefaultSettling.toggle() }
    defer { updatePace() }
    let time = now()
    // Also one that ended before the answer was here, which no alarm announces.
    serverSharing?.dropEnded(at: time)
    guard let serverSharing else { return }
    var shown = serverSharing
    for (friendID, setting) in pendingSharing { shown.set(setting, for: friendID) }
    if sharing != shown { sharing = shown }
    let cautious = SharingSummary(
      agreed: serverSharing.summary(at: time), wanted: shown.summary(at: time), ghost: ghostPhase)
    if summary != cautious { summary = cautious }
    endOfShare.set(serverSharing.nextEnd(after: time), now: time) { [weak self] in
      self?.shareEnded()
    }
  }

  /// A timed share has run out by the clock, whether or not the server can say so.
  private func shareEnded() {
    publishSharing()
    hints.schedule()
  }

  // MARK: - Ghost

  /// Goes ghost, or comes back: whichever the state asks for.
  public func toggleGhost() async {
    let isSeen = (summary?.sharedCount ?? 1) > 0
    if ghostPhase == nil || (ghostPhase == .gone && isSeen) {
      await goGhost()
    } else {
      await endGhost()
    }
  }

  /// Is seen by nobody: everything that is shared ends, and the server forgets my position.
  ///
  /// - What: Turns the default and every friend's own sharing off, remembering what they were.
  /// - How: Notes the wish in a file first, sends nothing of mine any more from this moment, and
  ///   asks the server; while it cannot be reached the phase stays `.pending`, visibly, and is
  ///   tried again at every pace, at every refresh and by the next run.
  /// - Why: Sharing must never go on silently, least of all offline.
  /// - Service Calls: `GhostService.begin`, `GhostService.complete`
  public func goGhost() async {
    log.info("ghost — wanted")
    ghostPhase = .pending
    lastSharingChange = nil
    publishSharing()
    do {
      try await ghostService.begin()
    } catch {
      log.error("ghost — not written down: \(error.logLabel)")
    }
    await settleGhost(isShown: true)
  }

  private func settleGhost(isShown: Bool) async {
    await afterGhostTask { store in
      guard store.ghostPhase == .pending else { return }
      do {
        let rows = try await store.ghostService.complete()
        store.mutationEpoch += 1
        if store.ghostPhase == .pending { store.ghostPhase = .gone }
        store.takeSharing(rows)
      } catch {
        store.presentFailure(
          error, title: "Not a ghost yet",
          description: "\(error.sentence) Friends may still see you; it is sent again by itself.",
          source: "goGhost", updateLoadState: false, isPresented: isShown)
      }
    }
  }

  /// Comes back: what was shared before is shared again, as far as its time has not run out.
  ///
  /// - What: The inverse of `goGhost`, pending or not.
  /// - How: Asks the server for each decision that was taken away; on failure I am still a ghost
  ///   and everything stays remembered. `goGhost` meanwhile ends it before its next step.
  /// - Why: The same key that hides gives everything back.
  /// - Service Calls: `GhostService.end`, `LocationsService.fetchLocationSharing`,
  ///   `LocationsService.publishLocations`
  public func endGhost() async {
    log.info("ghost — end wanted")
    await afterGhostTask { store in
      do {
        try await store.ghostService.end()
        // Before anybody says what is shared now: a fetch after an event may overtake `reconcile`.
        let rows = try? await store.locationsService.fetchLocationSharing()
        store.mutationEpoch += 1
        store.ghostPhase = await store.ghostService.phase()
        if let rows { store.takeSharing(rows) } else { store.publishSharing() }
      } catch {
        store.presentFailure(
          error, title: "Still a ghost", source: "endGhost",
          updateLoadState: false)
      }
    }
    await reconcile()
  }

  /// One step of the ghost at a time, in the order of the keys; it outlives the screen.
  private func afterGhostTask(_ step: @escaping @MainActor (LocationSharingStore) async -> Void)
    async
  {
    let earlier = ghostTask
    let task = Task {
      await earlier?.value
      isGhostSettling = true
      await step(self)
      isGhostSettling = false
    }
    ghostTask = task
    await task.value
  }

  private func forgetGhost() async {
    do {
      try await ghostService.forget()
    } catch {
      log.error("ghost — not forgotten: \(error.logLabel)")
    }
    ghostPhase = await ghostService.phase()
    publishSharing()
  }

  // MARK: - My Position

  /// Says where I am, by a city's name or by `latitude,longitude`.
  ///
  /// - What: Sets the manual position and sends it to those who may see it.
  /// - How: Looks the name up in the map's data, keeps the position in a private file, and
  ///   publishes at once instead of at the next pace.
  /// - Why: A terminal has no receiver, and its person knows where they are.
  /// - Service Calls: `CurrentLocationProvider.setManual`, `LocationsService.publishLocations`
  /// - Parameter text: As typed.
  /// - Returns: What to type instead; nil when it was understood.
  public func setHere(_ text: String) async -> FieldProblem? {
    do {
      try await setHere(placeFinder.resolve(text))
      return nil
    } catch let problem as FieldProblem {
      return problem
    } catch {
      presentFailure(
        error, title: "Your place is not kept for the next start",
        source: "setHere", updateLoadState: false)
      return nil
    }
  }

  private func setHere(_ place: Place) async throws {
    let writing = Task { [currentLocationProvider, now] in
      try await currentLocationProvider.setManual(
        place.coordinate, accuracyMetres: place.radiusMetres, placeName: place.name, at: now())
    }
    let written = await writing.result
    await publishIfChanged(isShown: true)
    try written.get()
  }

  /// Sends my position if somebody may see it and the server does not have it yet.
  ///
  /// - What: One report, cut to what the most exact friend may see.
  /// - How: Coarse positions are middles of cells, with hysteresis, and are sent only when the
  ///   cell changes. A ghost, pending or not, sends nothing; neither does somebody whose sharing
  ///   was not fetched a short while ago.
  /// - Why: What never leaves this machine cannot be told to anybody.
  /// - Service Calls: `LocationsService.publishLocations`,
  ///   `LocationsService.fetchLocationSharing`
  /// - Parameter isShown: A failure is shown; it is tried again at the next pace in any case.
  public func publishIfChanged(isShown: Bool = false) async {
    isPublishWanted = true
    guard !isPublishing else { return }
    isPublishing = true
    defer { isPublishing = false }
    while isPublishWanted {
      isPublishWanted = false
      if let asOf, now().since(asOf) > Self.sharingLifetime, ghostPhase == nil {
        _ = await fetchAndCommit(source: "publishIfChanged", isShown: false)
      }
      guard let report = dueReport else { continue }
      sending = OwnPosition(report)
      defer { sending = nil }
      do {
        try await locationsService.publishLocations([report])
        mutationEpoch += 1
        own = OwnPosition(report)
        sent = own.map { ($0, now()) }
      } catch {
        presentFailure(
          error, title: "Your position was not sent",
          source: "publishIfChanged", updateLoadState: false, isPresented: isShown)
      }
    }
  }

  /// Whether this client sent the position, so that its event tells nothing new.
  func isEcho(_ position: OwnPosition) -> Bool {
    [own, sending].contains { $0?.isSame(as: position) == true }
  }

  /// What was fetched longer ago is fetched again before a position goes out by it.
  private static let sharingLifetime = Duration.seconds(60)

  private var dueReport: LocationReport? {
    guard ghostPhase == nil, hasFetched, let fix = currentLocationProvider.fix,
      let agreed = serverSharing,
      let shown = sharing
    else { return nil }
    let time = now()
    return OwnPosition.report(
      of: fix, for: min(agreed.audience(at: time), shown.audience(at: time)), known: own)
  }

  // MARK: - Pace

  /// Takes the pace of the map's sync from the runtime policy.
  ///
  /// - What: Sends my position if it changed, and fetches who sees what, at this interval.
  /// - How: A timer runs, and sources measure, only while the map is visible, something is shared
  ///   or a ghost is pending.
  /// - Why: The policy says how hard the program may work, and nothing ticks for nobody.
  /// - Service Calls: those of `refreshAll`
  /// - Parameter interval: The time between two looks; nil for none.
  public func setSyncInterval(_ interval: Duration?) {
    syncInterval = interval
    updatePace()
  }

  /// Whether somebody looks at the map now.
  public func setMapVisible(_ isVisible: Bool) {
    isMapVisible = isVisible
    updatePace()
  }

  private func updatePace() {
    let isShared = (summary?.sharedCount ?? 0) > 0
    let isActive = isMapVisible || isShared || ghostPhase == .pending
    if isActive {
      currentLocationProvider.startTracking()
    } else {
      currentLocationProvider.stopTracking()
    }
    let wanted = isActive ? syncInterval : nil
    if pace != wanted { pace = wanted }
    poller.set(wanted) { [weak self] in await self?.reconcile() }
  }

  // MARK: - Cache

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async {
    saveSnapshot()
    await snapshots.finish()
  }

  private func saveSnapshot() {
    guard hasFetched, let asOf, let serverSharing else { return }
    snapshots.save(SharingSnapshot(sharing: serverSharing, asOf: asOf))
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
