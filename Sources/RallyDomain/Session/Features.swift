import FoundationEssentials
import RallyClient
import RallyEnvironment
import RallyState
import RallyStreets
import RallySystem
import RallyWatch
import RallyWire

// The features of a client: their services, their stores, and what a session does with each store.
// What a new feature adds to the composition stands in this file alone.

// MARK: - Services

/// A service holds nothing but its client, so it is made where somebody asks for it.
extension AppServices {
  public var friendsService: FriendsService { FriendsService(client: client) }
  public var locationsService: LocationsService { LocationsService(client: client) }
  public var locationsRealtimeService: LocationsRealtimeService {
    LocationsRealtimeService(client: client)
  }
  public var missionsService: MissionsService { MissionsService(client: client) }
  public var missionActivityRealtimeService: MissionActivityRealtimeService {
    MissionActivityRealtimeService(client: client)
  }
  public var importService: ImportService {
    ImportService(missionsService: missionsService, capabilities: capabilities)
  }
  public var calendarService: CalendarService { CalendarService(client: client) }
  public var invitationsService: InvitationsService { InvitationsService(client: client) }
  public var phonesService: PhonesService { PhonesService(client: client) }
  public var sshKeysService: SSHKeysService { SSHKeysService(client: client) }
  public var watchService: WatchService { WatchService(client: client) }

  /// Puts the services and coordinators into the environment of a tree of views.
  public func supply(to values: inout EnvironmentValues) {
    values.authService = authService
    values.importService = importService
    values.currentLocationProvider = currentLocationProvider
    values.privacyRulesService = privacyRulesService
    values.navigationService = navigationService
    values.interfaceMemory = interfaceMemory
    values.linkService = linkService
    values.syncCoordinator = syncCoordinator
    values.sharingCoordinator = sharingCoordinator
    values.broadcastStudio = broadcastStudio
  }
}

// MARK: - Stores

/// New stores over these services; whoever calls a function owns its store.
extension AppServices {
  public func makeSocialStore() -> SocialStore {
    SocialStore(
      authService: authService, friendsService: friendsService, profileService: profileService,
      friendsRealtimeService: FriendsRealtimeService(client: client),
      persistenceService: persistenceService)
  }

  public func makeMapStore() -> MapStore {
    MapStore(
      authService: authService, locationsService: locationsService,
      locationsRealtimeService: locationsRealtimeService, persistenceService: persistenceService,
      currentLocationProvider: currentLocationProvider)
  }

  /// - Parameters:
  ///   - placeFinder: What finds the names of places.
  ///   - provider: What has this device's position; nil for `currentLocationProvider`.
  public func makeLocationSharingStore(
    placeFinder: PlaceFinder = .none,
    currentLocationProvider provider: CurrentLocationProvider? = nil
  ) -> LocationSharingStore {
    LocationSharingStore(
      authService: authService, locationsService: locationsService, ghostService: ghostService,
      sharingRealtimeService: SharingRealtimeService(client: client),
      persistenceService: persistenceService,
      currentLocationProvider: provider ?? currentLocationProvider,
      privacyRules: privacyRulesService, placeFinder: placeFinder)
  }

  public func makeMissionsStore() -> MissionsStore {
    MissionsStore(
      authService: authService, missionsService: missionsService,
      missionActivityRealtimeService: missionActivityRealtimeService,
      persistenceService: persistenceService, statePersistenceService: locationState,
      currentLocationProvider: currentLocationProvider, privacyRules: privacyRulesService)
  }

  /// - Parameter sharing: What says how much of me may be seen, and where this device is.
  public func makeWatchStore(
    sharing: LocationSharingStore, placeFinder: PlaceFinder = .none
  ) -> WatchStore {
    WatchStore(
      watchService: watchService, authService: authService,
      serverHealthService: serverHealthService, profileService: profileService,
      persistenceService: locationState, sharing: sharing, places: placeFinder,
      // Opened for a new cell alone: it holds decoded tiles.
      ground: { [folder = folders.streets] cell in
        await WatchGround.around(cell, in: StreetTiles(folder: folder))
      })
  }

  public func makeAlertsStore() -> AlertsStore {
    AlertsStore(authService: authService, persistenceService: locationState)
  }

  public func makePhonesStore() -> PhonesStore {
    PhonesStore(phonesService: phonesService, profileService: profileService, server: server)
  }

  public func makeSSHKeysStore() -> SSHKeysStore {
    SSHKeysStore(sshKeysService: sshKeysService, server: server)
  }

  public func makeCalendarStore() -> CalendarStore {
    CalendarStore(calendarService: calendarService, server: server)
  }
}

/// The stores of one session, which outlive a change of tabs.
///
/// `RallySession` makes and owns them; views borrow them, so that what is saved is what is shown.
@MainActor
public final class SharedStores {
  /// Whose session it is.
  public let userID: UUID?
  public let social: SocialStore
  public let map: MapStore
  public let locationSharing: LocationSharingStore
  public let missions: MissionsStore
  public let watch: WatchStore
  public let invitations: InvitationsStore
  public let alerts: AlertsStore
  /// Each of them, for what the session does with all.
  let all: [any SessionStore]

  public let drafts: StoreContainer<DraftServices>
  /// Keeps the status for programs that only read it; nothing is written before its `start`.
  public let statusKeeper: StatusKeeper

  init(_ services: AppServices, placeFinder: PlaceFinder, userID: UUID?) {
    self.userID = userID
    social = services.makeSocialStore()
    map = services.makeMapStore()
    locationSharing = services.makeLocationSharingStore(placeFinder: placeFinder)
    missions = services.makeMissionsStore()
    watch = services.makeWatchStore(sharing: locationSharing, placeFinder: placeFinder)
    invitations = InvitationsStore(invitationsService: services.invitationsService)
    alerts = services.makeAlertsStore()
    all = [social, map, locationSharing, missions, watch, invitations, alerts]
    drafts = StoreContainer(
      environment: DraftServices(
        draftKeeper: services.draftKeeper, profileService: services.profileService,
        broadcastStudio: services.broadcastStudio))
    statusKeeper = StatusKeeper(
      authService: services.authService, persistenceService: services.persistenceService)
  }

  func restoreFromCache() async {
    await withDiscardingTaskGroup { group in
      for store in all { group.addTask { await store.restoreFromCache() } }
    }
  }

  /// Writes what is shown to files. Drafts come first: they cannot be fetched again.
  func saveState() async {
    await drafts.saveState()
    await withDiscardingTaskGroup { group in
      for store in all { group.addTask { await store.saveState() } }
      group.addTask { await self.statusKeeper.saveState() }
    }
  }

  /// Puts the stores into the environment of a tree of views.
  public func supply(to values: inout EnvironmentValues) {
    for store in all { store.supply(to: &values) }
    values.draftStores = drafts
  }

  /// What a status line says now; nil before enough is known.
  func status(of session: RallySession, at now: WireTime) -> ClientStatus? {
    ClientStatus(
      social: social, map: map, sharing: locationSharing, missions: missions,
      link: session.services.linkService, policy: session.runtimePolicyCoordinator, at: now)
  }
}

extension SharedStores: nonisolated Hashable {
  public nonisolated static func == (one: SharedStores, other: SharedStores) -> Bool {
    one === other
  }

  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

// MARK: - What a Session Does with Each Store

/// A store of a session. What it does not implement does nothing.
@MainActor
protocol SessionStore: FailurePresenting {
  /// Puts itself into the environment of views.
  func supply(to values: inout EnvironmentValues)
  /// Shows what an earlier run kept, for the first frame.
  func restoreFromCache() async
  /// Returns once what is shown is kept.
  func saveState() async
  /// Runs beside the session, until the task is cancelled.
  func run() async
  /// Fetches everything. Of one store one fetch runs, and one waits.
  func refreshAll(mode: CommunityRefreshMode) async
  /// Joins or leaves the channel of its lists.
  func setRealtime(_ isOn: Bool)
  /// Fetches its lists at an interval while realtime is off; nil for never.
  func setPollInterval(_ interval: Duration?)
  /// Takes the pace of the map; nil for none.
  func setSyncInterval(_ interval: Duration?)
  /// Another tab is shown.
  func tabChanged(to tab: RallyTab)
  /// The friends are others, or others are online.
  func updateFriends(_ friends: [CommunityProfile])
  /// `CurrentLocationProvider` has another fix.
  func positionChanged()
}

extension SessionStore {
  func restoreFromCache() async {}
  func saveState() async {}
  func run() async {}
  func refreshAll(mode: CommunityRefreshMode) async {}
  func setRealtime(_ isOn: Bool) {}
  func setPollInterval(_ interval: Duration?) {}
  func setSyncInterval(_ interval: Duration?) {}
  func tabChanged(to tab: RallyTab) {}
  func updateFriends(_ friends: [CommunityProfile]) {}
  func positionChanged() {}
}

extension SocialStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.socialStore = self }

  func refreshAll(mode: CommunityRefreshMode) async { await refreshAll(mode: mode, query: "") }

  func setRealtime(_ isOn: Bool) {
    if isOn { startFriendshipsRealtimeListener() } else { stopFriendshipsRealtimeListener() }
  }
}

extension MapStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.mapStore = self }
  func tabChanged(to tab: RallyTab) { setVisible(tab == .map) }
  func positionChanged() { currentLocationChanged() }
}

extension LocationSharingStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.locationSharingStore = self }
  func run() async { await followFiles() }

  func setRealtime(_ isOn: Bool) {
    if isOn { startSharingRealtimeListener() } else { stopSharingRealtimeListener() }
  }

  func tabChanged(to tab: RallyTab) { setMapVisible(tab == .map) }
  func positionChanged() { Task { await currentLocationChanged() } }
}

extension MissionsStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.missionsStore = self }

  func setRealtime(_ isOn: Bool) {
    if isOn { startMissionsRealtimeListener() } else { stopMissionsRealtimeListener() }
  }

  func tabChanged(to tab: RallyTab) { setVisible(tab == .missions) }
  func positionChanged() { currentLocationChanged() }
}

extension WatchStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.watchStore = self }
  func refreshAll(mode: CommunityRefreshMode) async { await refresh() }
}

extension InvitationsStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.invitationsStore = self }
}

extension AlertsStore: SessionStore {
  func supply(to values: inout EnvironmentValues) { values.alertsStore = self }
  func restoreFromCache() async { await restore() }
  func run() async { await followFile() }
}
