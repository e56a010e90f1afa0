import Foundation
import Logging
import Observation
import RallyEnvironment
import RallyWire

/// Where friends are, and what the map looks at.
///
/// Positions merge row by row by version, so that neither an answer that was overtaken nor an
/// event that came late brings back what is past.
@MainActor
@Observable
public final class MapStore: FailurePresenting {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let locationsService: LocationsService
  @ObservationIgnored private let locationsRealtimeService: LocationsRealtimeService
  @ObservationIgnored private let currentLocationProvider: CurrentLocationProvider

  // MARK: - State
  public internal(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  /// Friends who let me see where they are, in the order of the friends' list. How old a position
  /// may be to stand on the map says `FriendPosition.isShown`.
  public private(set) var positions: [FriendPosition] = []
  /// Where friends went in this session, the newest last; precise positions only.
  public private(set) var trails: [UUID: [Coordinate]] = [:]
  /// When positions were fetched; nil before they were, older than now from the cache.
  public private(set) var asOf: WireTime?
  /// Whether positions arrive as they change; else they are asked for at `pace`.
  public private(set) var isRealtimeLive = false
  /// The time between two fetches while the map is visible; nil while it is not, and no timer runs.
  public private(set) var pace: Duration?

  /// Whose pin is selected.
  public private(set) var selection: MapSelection?
  /// Whose movement the centre follows.
  public private(set) var following: MapFollowing?
  /// What the map is to show next; the view carries out each revision once.
  public private(set) var focus: MapFocus?
  /// The middle of the map; the view keeps it here so that it outlives a change of tabs.
  public var centre: Coordinate?
  /// As the map engine counts; nil shows the whole world, however large the terminal is.
  public var zoom: Double?

  @ObservationIgnored private var friends: [CommunityProfile] = []
  @ObservationIgnored private var table = PositionTable()
  @ObservationIgnored private var hasFetched = false
  @ObservationIgnored private var refreshGeneration = 0
  @ObservationIgnored private let snapshots: SnapshotWriter<MapSnapshot>
  @ObservationIgnored private let listening = RealtimeListening()
  @ObservationIgnored private lazy var hints = RefreshCoalescer(
    shortest: timing.refreshPause, longest: timing.longestRefreshPause
  ) { [weak self] in await self?.reconcile() }
  @ObservationIgnored private let poller = Poller()
  @ObservationIgnored private var syncInterval: Duration?
  @ObservationIgnored private var isVisible = false
  @ObservationIgnored private let timing: SocialStore.Timing
  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("Map")

  // MARK: - Lifecycle

  /// - Parameter now: The wall clock.
  public init(
    authService: AuthService = .shared, locationsService: LocationsService = .shared,
    locationsRealtimeService: LocationsRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    currentLocationProvider: CurrentLocationProvider,
    timing: SocialStore.Timing = SocialStore.Timing(), now: @escaping () -> WireTime = { .now }
  ) {
    self.authService = authService
    self.locationsService = locationsService
    self.locationsRealtimeService = locationsRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.timing = timing
    snapshots = SnapshotWriter(
      authService: authService, persistenceService: persistenceService,
      savePause: timing.savePause)
    self.now = now
  }

  /// Shows what was seen last, for the first frame.
  ///
  /// - What: Fills the positions and `asOf` from this machine's cache.
  /// - How: Reads one file; an answer of the server that came first is never replaced.
  /// - Why: The first frame must not wait for a network, and offline is a normal mode.
  /// - Service Calls: `AuthService.currentUserID`, `PersistenceService.retrieve`
  public func restoreFromCache() async {
    guard !hasFetched, let snapshot = await snapshots.read(), !hasFetched else { return }
    table = PositionTable(snapshot.positions)
    asOf = snapshot.asOf
    if loadState == .loading { loadState = .refreshing }
    publishPositions()
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them; who is none has no pin.
  public func updateFriends(_ friends: [CommunityProfile]) {
    guard friends != self.friends else { return }
    self.friends = friends
    publishPositions()
  }

  /// My own position has changed.
  public func currentLocationChanged() {
    if following == .me, let coordinate = myPosition?.coordinate { centre = coordinate }
  }

  // MARK: - Positions

  /// Where I am, as far as this machine knows; nil while it does not.
  public var myPosition: LocationFix? { currentLocationProvider.fix }

  /// The position of a friend; nil while they show me none.
  public func position(of friendID: UUID) -> FriendPosition? {
    positions.first { $0.id == friendID }
  }

  /// What stands on the map at this time, the nearest to me first; by name where I am nowhere.
  public func positionsByDistance(at now: WireTime) -> [FriendPosition] {
    let shown = positions.filter { $0.isShown(at: now) }
    guard let me = myPosition?.coordinate else { return shown }
    return shown.map { (distance: me.distance(to: $0.coordinate), position: $0) }
      .sorted {
        ($0.distance, $0.position.id.uuidString) < ($1.distance, $1.position.id.uuidString)
      }
      .map(\.position)
  }

  /// Shows what is known, and lets go of what is on no map any more.
  private func publishPositions() {
    let shown = friends.compactMap { friend in
      table.records[friend.id].flatMap { FriendPosition($0, of: friend) }
    }
    // A write that changes nothing would still wake every view that reads it.
    if positions != shown { positions = shown }
    let ids = Set(shown.map(\.id))
    let walked = table.trails.filter { ids.contains($0.key) && $0.value.count > 1 }
    if trails != walked { trails = walked }
    if let selectedID, hasFetched, !ids.contains(selectedID) { selection = nil }
    guard case .friend(let id) = following else { return }
    if let position = position(of: id) {
      if centre != position.coordinate { centre = position.coordinate }
    } else if hasFetched {
      following = nil
    }
  }

  // MARK: - Looking

  /// The friend whose pin is selected; nil where none or a mission's is.
  public var selectedID: UUID? {
    if case .friend(let id) = selection { id } else { nil }
  }

  /// The mission whose pin is selected.
  public var selectedMissionID: UUID? {
    if case .mission(let id) = selection { id } else { nil }
  }

  /// Selects a friend's pin; nil selects none.
  public func select(_ friendID: UUID?) { select(pin: friendID.map(MapSelection.friend)) }

  /// Selects a pin; nil selects none.
  public func select(pin: MapSelection?) {
    if selection != pin { selection = pin }
  }

  /// Selects the next pin (+1) or the one before (−1), around the end: friends by distance, then
  /// missions in the order given.
  public func selectNeighbour(by step: Int, missions: [UUID] = []) {
    let pins =
      positionsByDistance(at: now()).map { MapSelection.friend($0.id) }
      + missions.map(MapSelection.mission)
    guard !pins.isEmpty else { return }
    guard let index = selection.flatMap(pins.firstIndex) else {
      return select(pin: step < 0 ? pins.last : pins.first)
    }
    select(pin: pins[((index + step) % pins.count + pins.count) % pins.count])
  }

  /// Keeps the centre on a friend or on me from now on; nil lets go, as panning by hand does.
  public func follow(_ target: MapFollowing?) {
    following = target
    switch target {
    case .me?: if let coordinate = myPosition?.coordinate { centre = coordinate }
    case .friend(let id)?: if let position = position(of: id) { centre = position.coordinate }
    case nil: break
    }
  }

  /// Asks the map to show something; following ends unless that is what is shown.
  public func show(_ target: MapFocus.Target, scale: MapFocus.Scale = .same) {
    following = nil
    focus = MapFocus(target: target, scale: scale, revision: (focus?.revision ?? 0) + 1)
  }

  /// Selects a friend and asks the map to show where they are.
  ///
  /// - Returns: Whether they show me a position.
  @discardableResult
  public func showFriend(_ friendID: UUID) -> Bool {
    guard let position = position(of: friendID) else { return false }
    select(friendID)
    show(.place(position.coordinate), scale: position.precision == .precise ? .street : .city)
    return true
  }

  /// Selects a mission and asks the map to show the whole of its place.
  public func showMission(_ mission: Mission) {
    select(pin: .mission(mission.id))
    show(.all(mission.centre.surroundings(metres: max(mission.radiusMetres, 300))))
  }

  // MARK: - Refresh

  /// Fetches friends' positions for first entry and for a refresh by hand.
  ///
  /// - What: Reloads everybody's position as its owner lets me see it.
  /// - How: Of refreshes that overlap only the newest commits; single events that come meanwhile
  ///   win over the list.
  /// - Why: Nothing is replayed by the server, so that a first look and every gap need a fetch.
  /// - Service Calls: `LocationsService.fetchFriendLocations`
  /// - Parameter mode: Initial or by hand.
  public func refreshAll(mode: CommunityRefreshMode) async {
    loadState = mode == .initial && asOf == nil ? .loading : .refreshing
    await fetchAndCommit(source: "refreshAll", isShown: true)
  }

  private func reconcile() async { await fetchAndCommit(source: "reconcile", isShown: false) }

  /// - Parameter isShown: A failure is shown; otherwise only the load state says it.
  private func fetchAndCommit(source: String, isShown: Bool) async {
    refreshGeneration += 1
    let generation = refreshGeneration
    do {
      guard let userID = await authService.currentUserID else { throw NetworkError.signedOut }
      let mark = table.mark
      let rows = try await locationsService.fetchFriendLocations()
      let isSamePerson = await authService.currentUserID == userID
      guard generation == refreshGeneration, isSamePerson else { return }
      table.replace(with: rows, since: mark)
      hasFetched = true
      asOf = now()
      loadState = .loaded
      publishPositions()
      saveSnapshot()
    } catch {
      guard generation == refreshGeneration else { return }
      if error.isExpectedError() {
        loadState = hasFetched ? .loaded : .loading
      } else {
        presentFailure(
          error, title: "Positions could not be fetched",
          source: source, isPresented: isShown)
      }
    }
  }

  // MARK: - Locations Realtime

  /// Follows friends' positions until `stopLocationsRealtimeListener`.
  ///
  /// - What: Moves pins as events come; fetches everything after a gap.
  /// - How: Rows carry a version for this reader and merge by it.
  /// - Why: A friend who moves must move here within a second.
  /// - Service Calls: `LocationsRealtimeService.listen`, `LocationsService.fetchFriendLocations`
  public func startLocationsRealtimeListener() {
    let isNew = listening.start { [service = locationsRealtimeService] in
      try await service.listen()
    } receive: { [weak self] in
      self?.receive($0)
    }
    if isNew { log.info("realtime — start") }
  }

  /// Leaves the channel; positions stay as they are.
  public func stopLocationsRealtimeListener() {
    guard listening.stop({ [service = locationsRealtimeService] in await service.leave() }) else {
      return
    }
    log.info("realtime — stop")
    if isRealtimeLive { isRealtimeLive = false }
  }

  private func receive(_ event: LocationsRealtimeEvent) {
    switch event {
    case .live:
      isRealtimeLive = true
      hints.schedule()
    case .interrupted: isRealtimeLive = false
    // My own position is among them, but no friend's: it finds no pin.
    case .changed(let record):
      table.apply(record)
      publishPositions()
    case .removed(let id):
      table.remove(id)
      publishPositions()
    case .unknown: hints.schedule()
    }
  }

  // MARK: - Pace

  /// Takes the pace of the map's sync from the runtime policy.
  ///
  /// - What: Fetches friends' positions at this interval, at every policy level.
  /// - How: The timer runs only while the map is visible; realtime comes on top of it.
  /// - Why: The policy says how hard the program may work, and nothing ticks for nobody.
  /// - Service Calls: `LocationsService.fetchFriendLocations`
  /// - Parameter interval: The time between two fetches; nil for none.
  public func setSyncInterval(_ interval: Duration?) {
    syncInterval = interval
    updatePace()
  }

  /// Whether somebody looks at the map now; what was missed while nobody did is fetched at once.
  public func setVisible(_ isVisible: Bool) {
    guard isVisible != self.isVisible else { return }
    self.isVisible = isVisible
    updatePace()
    if isVisible, hasFetched, !isRealtimeLive { hints.schedule() }
  }

  private func updatePace() {
    let wanted = isVisible ? syncInterval : nil
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
    guard hasFetched, let asOf else { return }
    snapshots.save(
      MapSnapshot(
        positions: table.records.values.sorted { $0.userID.uuidString < $1.userID.uuidString },
        asOf: asOf))
  }
}

private struct MapStoreKey: EnvironmentKey {
  /// A store on no server: every fetch fails with `.notConfigured`, no listener starts.
  @MainActor static let defaultValue = MapStore(
    authService: AuthService(client: SupabaseClient()),
    locationsService: LocationsService(client: SupabaseClient()),
    locationsRealtimeService: LocationsRealtimeService(client: SupabaseClient()),
    persistenceService: PersistenceService(), currentLocationProvider: .shared)
}

extension EnvironmentValues {
  public var mapStore: MapStore {
    get { self[MapStoreKey.self] }
    set { self[MapStoreKey.self] = newValue }
  }
}
