import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallySystem
import RallyWire

/// What is known of a store's data. Not generic, for the reason at `ObservedState`.
@MainActor
@Observable
class StoreStatus {
  fileprivate(set) var loadState: CommunityLoadState = .loading
  /// When the data was fetched; nil before that, older than now if it is from the cache.
  fileprivate(set) var asOf: WireTime?
  /// Whether this program fetched the data: what an earlier run cached may be long past. No clock
  /// tells that, since one can be set.
  fileprivate(set) var hasFetched = false
  /// Whether realtime events arrive.
  fileprivate(set) var isLive = false
  /// The time between two fetches; nil if no timer runs.
  fileprivate(set) var pace: Duration?
  /// The subjects of intents that are on their way to the server.
  fileprivate(set) var inFlightIDs: Set<UUID> = []
}

/// Keeps the data of one store current: cache, fetches, hints, polling, realtime and intents.
///
/// It depends on no feature. Rows of events are taken as they come (`apply`). Of fetches that overlap
/// only the newest commits; one that was read before an intent was answered is read again; one of a
/// user who signed out meanwhile is dropped.
@MainActor
final class StoreSynchronizer<Store: SynchronizedStore>: StoreStatus {
  /// Set once, at the end of the store's init.
  weak var store: Store?
  /// What events brought since the oldest running fetch began: what it read may be older.
  private var changesDuringFetch: [(Store) -> Void] = []
  /// Changes that were taken since a fetch was committed.
  private var changesTaken = 0
  private var runningFetches = 0
  private var refreshGeneration = 0
  private var mutationEpoch = 0
  private var interval: Duration?
  private(set) var isVisible: Bool
  private let authService: AuthService
  private let snapshots: SnapshotWriter<Store.Snapshot>
  private let timing: StoreTiming
  private let now: () -> WireTime
  private let listening = RealtimeListening()
  private let poller = Poller()
  private lazy var hints = RefreshCoalescer(timing) { [weak self] in
    await self?.store?.reconcile()
  }
  private lazy var retries = RetryTimer(timing) { [weak self] in
    self?.scheduleRefresh()
  }

  /// - Parameters:
  ///   - isVisible: Whether polling starts without `setVisible`.
  ///   - now: The wall clock.
  init(
    authService: AuthService, persistenceService: PersistenceService, timing: StoreTiming,
    isVisible: Bool = true, now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.timing = timing
    self.isVisible = isVisible
    self.now = now
    snapshots = SnapshotWriter(
      authService: authService, persistenceService: persistenceService,
      savePause: timing.savePause)
  }

  // MARK: - Cache

  /// Restores what an earlier run cached, unless a fetch was committed first.
  func restoreFromCache() async {
    guard !hasFetched, let snapshot = await snapshots.read(), !hasFetched else { return }
    asOf = snapshot.asOf
    if loadState == .loading { loadState = .refreshing }
    store?.restore(snapshot)
  }

  /// Caches what is shown, in the background.
  func saveSnapshot() {
    guard hasFetched, let asOf, let snapshot = store?.snapshot(asOf: asOf) else { return }
    snapshots.save(snapshot)
  }

  /// Caches what is shown; returns once it is written.
  func saveState() async {
    saveSnapshot()
    await snapshots.finish()
  }

  // MARK: - Fetching

  /// Fetches for a user who waits for it.
  ///
  /// - Returns: Whether the data was committed.
  @discardableResult
  func refresh(_ mode: CommunityRefreshMode, source: String = "refreshAll") async -> Bool {
    loadState = mode == .initial && asOf == nil ? .loading : .refreshing
    return await fetch(source: source, isShown: true)
  }

  /// Fetches in the background: a failure shows in `loadState` only.
  ///
  /// - Returns: Whether the data was committed.
  @discardableResult
  func reconcile(source: String = "reconcile") async -> Bool {
    await fetch(source: source, isShown: false)
  }

  /// Schedules a background fetch; a burst of hints causes few fetches.
  func scheduleRefresh() { hints.schedule() }

  /// Schedules a background fetch after a pause: no event says when a server that answers with a
  /// failure, such as one without its database, is well again. Without realtime the next connection
  /// or poll fetches.
  func retryLater() {
    if isLive { retries.schedule() }
  }

  /// Whether a fetch runs or is scheduled.
  var isBusy: Bool { runningFetches > 0 || hints.isWanted }

  /// Whether a scheduled fetch has not begun.
  var isRefreshScheduled: Bool { hints.isWanted }

  /// Makes a running fetch read again: what it has read may be older than what is known now.
  func invalidateFetches() { mutationEpoch += 1 }

  /// Takes data that the server sent just now, also outside of a fetch.
  func commit(_ take: () -> Void) {
    if !hasFetched { hasFetched = true }
    changesTaken = 0
    asOf = now()
    loadState = .loaded
    take()
    saveSnapshot()
  }

  /// Takes a row that an event brought, without a fetch.
  ///
  /// An event has its row as it was at the event or later, so that the newest one is right. A fetch
  /// that runs may have read the row before: what came since then is taken again after it. What
  /// it read may also be newer than an event that is still on its way, and then one about that follows.
  ///
  /// - Parameter take: Takes the row; of no consequence when it is taken twice.
  func apply(_ take: @escaping (Store) -> Void) {
    guard let store else { return }
    if runningFetches > 0 { changesDuringFetch.append(take) }
    take(store)
    if hasFetched { asOf = now() }
  }

  private func fetch(source: String, isShown: Bool) async -> Bool {
    guard let store else { return false }
    runningFetches += 1
    defer {
      runningFetches -= 1
      if runningFetches == 0 { changesDuringFetch = [] }
    }
    refreshGeneration += 1
    let generation = refreshGeneration
    do {
      guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
      var fetched: Store.Fetched
      var isSameUser: Bool
      var epoch: Int
      var changesBefore: Int
      repeat {
        epoch = mutationEpoch
        changesBefore = changesDuringFetch.count
        fetched = try await JoinedReads.$isPatient.withValue(!isShown) { try await store.fetch() }
        isSameUser = await authService.currentUserID == userID
      } while epoch != mutationEpoch && generation == refreshGeneration
      // Nothing is awaited from here on: what was checked still holds when it is committed.
      guard generation == refreshGeneration, isSameUser else { return false }
      commit {
        store.commit(fetched)
        for take in changesDuringFetch[changesBefore...] { take(store) }
      }
      return true
    } catch {
      guard generation == refreshGeneration else { return false }
      if (error as? NetworkError)?.isTransient == true { retryLater() }
      let isPresented = store.fetchFailed(error) && isShown
      if error.isExpectedError() {
        loadState = hasFetched ? .loaded : .loading
      } else {
        loadState = .failed(
          store.presentFailure(
            error, title: store.fetchFailureTitle, source: source,
            isPresented: isPresented))
      }
      return false
    }
  }

  // MARK: - Polling

  /// Sets the time between two fetches while the data is visible; nil ends polling.
  func setInterval(_ interval: Duration?) {
    self.interval = interval
    updatePace()
  }

  /// Sets whether the data is on the screen. What was missed meanwhile is fetched at once.
  func setVisible(_ isVisible: Bool) {
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    updatePace()
    if isVisible, hasFetched, !isLive { scheduleRefresh() }
  }

  private func updatePace() {
    let wanted = isVisible ? interval : nil
    if pace != wanted { pace = wanted }
    poller.set(wanted) { [weak self] in await self?.store?.poll() }
  }

  // MARK: - Realtime

  /// Joins a channel until `stopListening`; a second call does nothing.
  ///
  /// - Parameters:
  ///   - listen: Joins the channel; a failure ends the listening without a message.
  ///   - receive: Takes each change.
  func startListening<Change>(
    _ listen: @escaping @Sendable () async throws -> AsyncStream<RealtimeUpdate<Change>>,
    receive: @escaping @MainActor (Store, Change) -> Void
  ) {
    let isNew = listening.start(listen) { [weak self] event in
      guard let self, let store else { return }
      switch event {
      case .live: setLive(true)
      case .interrupted: setLive(false)
      case .changed(let change):
        store.log.info("realtime — event: \(caseName(of: change))")
        // What grows by changes alone is fetched anew before it takes more, and a list that is
        // fetched ends.
        guard changesTaken < Pages.mostRows else { return scheduleRefresh() }
        changesTaken += 1
        receive(store, change)
      }
    }
    if isNew { store?.log.info("realtime — start") }
  }

  /// Leaves the channel; the data stays.
  func stopListening(_ leave: @escaping @Sendable () async -> Void) {
    guard listening.stop(leave) else { return }
    if isLive { isLive = false }
    store?.realtimeChanged(.stopped)
    store?.log.info("realtime — stop")
  }

  /// Records that realtime events arrive from now on, or may be missed.
  func setLive(_ isLive: Bool) {
    if isLive != self.isLive { self.isLive = isLive }
    store?.realtimeChanged(isLive ? .live : .interrupted)
    // The server replays nothing: what happened before has to be fetched.
    if isLive { scheduleRefresh() }
  }

  // MARK: - Intents

  /// Sends one intent about one subject.
  ///
  /// The call is a task of its own: it continues when the screen that started it is closed.
  ///
  /// - Parameters:
  ///   - id: The subject; one intent at a time is sent for each.
  ///   - begin: Shows the change before the response, if it is shown early.
  ///   - call: Sends it with this client id.
  ///   - end: Commits the response, or takes the change back if it is nil.
  /// - Returns: `.notStarted` while an earlier intent about the subject is on its way.
  func perform<Answer: Sendable>(
    _ id: UUID, source: String, failureTitle: String, begin: () -> Void,
    call: @escaping @Sendable (_ clientID: UUID) async throws -> Answer,
    end: (Answer?) -> Void
  ) async -> IntentOutcome<Answer> {
    guard inFlightIDs.insert(id).inserted else { return .notStarted }
    begin()
    let clientID = UUID()
    let response = await Task { try await call(clientID) }.result
    invalidateFetches()
    inFlightIDs.remove(id)
    end(try? response.get())
    return conclude(response, source: source, failureTitle: failureTitle)
  }

  /// Schedules a background fetch after a change of mine, unless an event brings its rows.
  func refreshUnlessEventFollows() {
    if store?.takesEvents != true || !isLive { scheduleRefresh() }
  }

  /// Saves the change after a success, presents a failure, and fetches what the server has now.
  func conclude<Answer>(
    _ response: Result<Answer, any Error>, source: String, failureTitle: String
  ) -> IntentOutcome<Answer> {
    switch response {
    case .success(let answer):
      saveSnapshot()
      refreshUnlessEventFollows()
      return .done(answer)
    case .failure(let error):
      // A refusal means that the data is old; an offline server has nothing newer.
      if (error as? NetworkError)?.isOffline != true { scheduleRefresh() }
      guard let store else { return .notStarted }
      return .refused(store.presentFailure(error, title: failureTitle, source: source))
    }
  }
}
