import FoundationEssentials
import Logging
import Observation
import RallyClient
import RallyEnvironment
import RallySystem
import RallyWire

/// Friends' positions, and what the map shows.
///
/// Positions merge row by row by version, so that neither a late response nor a late event brings
/// back an old position.
@MainActor
@Observable
public final class MapStore: SynchronizedStore {
  // MARK: - Dependencies
  @ObservationIgnored private let locationsService: LocationsService
  @ObservationIgnored private let locationsRealtimeService: LocationsRealtimeService
  @ObservationIgnored private let currentLocationProvider: CurrentLocationProvider

  // MARK: - State
  public var loadState: CommunityLoadState { synchronizer.loadState }
  /// The latest failure to show; the view clears it.
  public var presentedError: CommunityViewError?
  /// Friends who let me see where they are, in the order of the friends' list. How old a position
  /// may be to stand on the map says `FriendPosition.isShown`.
  public private(set) var positions: [FriendPosition] = []
  /// Where friends went in this session, the newest last; precise positions only.
  public private(set) var trails: [UUID: [Coordinate]] = [:]
  /// Every position that I may see, also of people on the way to a mission who are no friends; and
  /// my own.
  public private(set) var records: [UUID: LocationRecord] = [:]
  /// When positions were fetched; nil before that, older than now if they are from the cache.
  public var asOf: WireTime? { synchronizer.asOf }
  /// Whether this program fetched them.
  public var hasFetched: Bool { synchronizer.hasFetched }
  /// Whether positions arrive as they change; otherwise they are fetched at `pace`.
  public var isRealtimeLive: Bool { synchronizer.isLive }
  /// The time between two fetches while the map is visible; nil while it is not, and no timer runs.
  public var pace: Duration? { synchronizer.pace }
  /// Whose pin is selected.
  public private(set) var selection: MapSelection?
  /// Whose movement the centre follows.
  public private(set) var following: MapFollowing?
  /// Who is shown as soon as there is a position of theirs.
  @ObservationIgnored private var awaited: UUID?
  /// What the map is to show next; the view carries out each revision once.
  public private(set) var focus: MapFocus?
  /// The mission that is kept in view with who comes to it; nil while none is.
  public internal(set) var framing: MapFraming?
  /// The middle of the map; the view keeps it here so that it outlives a change of tabs.
  public var centre: Coordinate?
  /// As the map engine counts; nil shows the whole world, however large the terminal is.
  public var zoom: Double?

  @ObservationIgnored private var friends: [CommunityProfile] = []
  @ObservationIgnored private var table = PositionTable()
  @ObservationIgnored let synchronizer: StoreSynchronizer<MapStore>
  @ObservationIgnored private let now: () -> WireTime
  let log = RallyLog.logger("Map")

  // MARK: - Lifecycle

  /// - Parameter now: The wall clock.
  public init(
    authService: AuthService = .shared, locationsService: LocationsService = .shared,
    locationsRealtimeService: LocationsRealtimeService = .shared,
    persistenceService: PersistenceService = .shared,
    currentLocationProvider: CurrentLocationProvider,
    timing: StoreTiming = StoreTiming(), now: @escaping () -> WireTime = { .now }
  ) {
    self.locationsService = locationsService
    self.locationsRealtimeService = locationsRealtimeService
    self.currentLocationProvider = currentLocationProvider
    self.now = now
    synchronizer = StoreSynchronizer(
      authService: authService, persistenceService: persistenceService, timing: timing,
      isVisible: false, now: now)
    synchronizer.store = self
  }

  /// Shows what an earlier run cached, for the first frame.
  public func restoreFromCache() async { await synchronizer.restoreFromCache() }

  func restore(_ snapshot: MapSnapshot) {
    table = PositionTable(snapshot.positions)
    publishPositions()
  }

  /// Returns once what is shown is in the cache; called before the program stops or ends.
  public func saveState() async { await synchronizer.saveState() }

  func snapshot(asOf: WireTime) -> MapSnapshot? {
    MapSnapshot(
      positions: table.records.values.sorted { $0.userID < $1.userID }, asOf: asOf)
  }

  // MARK: - Cross-Feature Inputs

  /// Takes the friends as the social store shows them; who is none has no pin.
  ///
  /// - What: Pins of who is no friend any more go, and new friends get theirs.
  /// - How: Compares with the friends that are known, and publishes only a difference.
  /// - Why: The map names people by the list of friends, and never asks for them itself.
  /// - Service Calls: None
  public func updateFriends(_ friends: [CommunityProfile]) {
    guard !friends.sharesMemory(with: self.friends) else { return }
    self.friends = friends
    publishPositions()
  }

  /// My own position has changed.
  ///
  /// - What: The centre moves with me if the map follows me.
  /// - How: Reads the provider; nothing is sent.
  /// - Why: Whoever walks with the map in front of them stays in its middle.
  /// - Service Calls: None
  public func currentLocationChanged() {
    if following == .me, let coordinate = myPosition?.coordinate { centre = coordinate }
  }

  // MARK: - Positions

  /// Where I am, as far as this machine has it; nil while it does not.
  public var myPosition: LocationFix? { currentLocationProvider.fix }

  /// The position of a friend; nil while they show me none.
  public func position(of friendID: UUID) -> FriendPosition? {
    positions.first { $0.id == friendID }
  }

  /// Where somebody was in the last minutes, as far as it was precise; the newest last.
  public func track(of personID: UUID) -> [TimedPlace] {
    // Reading the list makes a view observe every change of the positions.
    _ = records
    return table.tracks[personID] ?? []
  }

  /// What stands on the map at this time, the nearest to me first; by name where I am nowhere.
  public func positionsByDistance(at now: WireTime) -> [FriendPosition] {
    let shown = positions.filter { $0.isShown(at: now) }
    guard let me = myPosition?.coordinate else { return shown }
    return shown.map { (distance: me.distance(to: $0.coordinate), position: $0) }
      .sorted { ($0.distance, $0.position.id) < ($1.distance, $1.position.id) }
      .map(\.position)
  }

  /// Shows what is known, and lets go of what is on no map any more.
  private func publishPositions() {
    let (friends, known) = (friends, table.records)
    // By index: a friend that is handed over is copied.
    let shown =
      known.isEmpty
      ? []
      : friends.indices.compactMap { index in
        known[friends[index].id].flatMap { FriendPosition($0, of: friends[index]) }
      }
    // A write that changes nothing would still wake every view that reads it.
    if positions != shown { positions = shown }
    if records != table.records { records = table.records }
    let ids = Set(shown.map(\.id))
    let walked = table.trails.filter { ids.contains($0.key) && $0.value.count > 1 }
    if trails != walked { trails = walked }
    if let selectedID, synchronizer.hasFetched, !ids.contains(selectedID) { selection = nil }
    if let friend = awaited, ids.contains(friend) { showFriend(friend) }
    guard case .friend(let id) = following else { return }
    if let position = position(of: id) {
      if centre != position.coordinate { centre = position.coordinate }
    } else if synchronizer.hasFetched {
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
  ///
  /// - What: Changes the selection.
  /// - How: A selected pin ends the waiting for somebody who was to be shown.
  /// - Why: Lists and map show one and the same selection.
  /// - Service Calls: None
  public func select(pin: MapSelection?) {
    if pin != nil { awaited = nil }
    if selection != pin { selection = pin }
  }

  /// Selects the next pin (+1) or the one before (−1), around the end: friends by distance, then
  /// missions in the order given.
  ///
  /// - What: Moves the selection to the neighbour.
  /// - How: Counts what stands on the map now, so that no key selects what is not there.
  /// - Why: A map without a mouse is walked through by keys.
  /// - Service Calls: None
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
  ///
  /// - What: The centre moves at once, and with each position of theirs.
  /// - How: Ends a held frame, unless it lets go.
  /// - Why: Who follows somebody wants to see them, not to search for them.
  /// - Service Calls: None
  public func follow(_ target: MapFollowing?) {
    following = target
    if target != nil { letGoOfFrame() }
    switch target {
    case .me?: if let coordinate = myPosition?.coordinate { centre = coordinate }
    case .friend(let id)?: if let position = position(of: id) { centre = position.coordinate }
    case nil: break
    }
  }

  /// Asks the map to show something; following ends unless that is what is shown.
  ///
  /// - What: `focus` gets a new revision, which the view carries out once.
  /// - How: Ends the following.
  /// - Why: Only the view has its size, from which centre and zoom follow.
  /// - Service Calls: None
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

  /// Shows where a friend is, now or as soon as the first position of theirs comes, unless something
  /// else is selected meanwhile.
  ///
  /// - What: Selects and shows them, or remembers to do so.
  /// - How: The first position that comes ends the waiting, as any other selection does.
  /// - Why: Who accepted an invitation to see somebody waits for the first position of theirs.
  /// - Service Calls: None
  public func showFriendOnceSeen(_ friendID: UUID) {
    if !showFriend(friendID) { awaited = friendID }
  }

  /// Selects a mission and asks the map to show the whole of its place.
  ///
  /// - What: Selects its pin, and asks for all of its radius.
  /// - How: As `select(pin:)` and `show`.
  /// - Why: A mission is a place with an extent, and half of it is not enough.
  /// - Service Calls: None
  public func showMission(_ mission: Mission) {
    select(pin: .mission(mission.id))
    show(.all(mission.extent))
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
  public func refreshAll(mode: CommunityRefreshMode) async { await synchronizer.refresh(mode) }

  func reconcile() async { await synchronizer.reconcile() }

  var fetchFailureTitle: String { "Positions could not be fetched" }

  /// - Returns: The rows, and the mark of the events that came before they were asked for.
  func fetch() async throws -> (rows: [LocationRecord], mark: Int) {
    let mark = table.mark
    return (try await locationsService.fetchFriendLocations(), mark)
  }

  func commit(_ fetched: (rows: [LocationRecord], mark: Int)) {
    table.replace(with: fetched.rows, since: fetched.mark)
    publishPositions()
  }

  // MARK: - Locations Realtime

  /// Follows friends' positions until `stopLocationsRealtimeListener`.
  ///
  /// - What: Moves pins as events come; fetches everything after a gap.
  /// - How: Rows carry a version for this reader and merge by it.
  /// - Why: A friend who moves must move here within a second.
  /// - Service Calls: `LocationsRealtimeService.listen`, `LocationsService.fetchFriendLocations`
  public func startLocationsRealtimeListener() {
    synchronizer.startListening(locationsRealtimeService.listen) { $0.receive($1) }
  }

  /// Leaves the channel; positions stay as they are.
  ///
  /// - What: Ends what `startLocationsRealtimeListener` began.
  /// - How: Leaves the channel in the background; the pace goes on.
  /// - Why: The policy left realtime.
  /// - Service Calls: `LocationsRealtimeService.leave`
  public func stopLocationsRealtimeListener() {
    synchronizer.stopListening(locationsRealtimeService.leave)
  }

  private func receive(_ change: LocationChange) {
    switch change {
    // My own position is among them, but no friend's: it finds no pin.
    case .moved(let record):
      table.apply(record)
      publishPositions()
    case .removed(let id):
      table.remove(id)
      publishPositions()
    case .unknown: synchronizer.scheduleRefresh()
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
    synchronizer.setInterval(interval)
  }

  /// Sets whether the map is on the screen; what was missed meanwhile is fetched at once.
  public func setVisible(_ isVisible: Bool) { synchronizer.setVisible(isVisible) }
}

extension MapStore {
  /// A store without a server: every fetch fails with `.notConfigured`, no listener starts.
  static func inert() -> MapStore {
    let client = SupabaseClient()
    return MapStore(
      authService: AuthService(client: client), locationsService: LocationsService(client: client),
      locationsRealtimeService: LocationsRealtimeService(client: client),
      persistenceService: PersistenceService(), currentLocationProvider: .inert())
  }
}

private struct MapStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = MapStore.inert()
}

extension EnvironmentValues {
  public var mapStore: MapStore {
    get { self[MapStoreKey.self] }
    set { self[MapStoreKey.self] = newValue }
  }
}
