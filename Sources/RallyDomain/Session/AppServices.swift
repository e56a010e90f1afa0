import FoundationEssentials
import RallyClient
import RallyEnvironment
import RallyState
import RallyStreets
import RallySystem
import RallyWatch
import RallyWire

/// The composition root: everything long-lived for one profile on one server.
///
/// Signing out, or changing profile or server, makes a new one.
@MainActor
public final class AppServices {
  public let folders: RallyFolders
  public let server: ServerChoice
  /// The network service that all others stand on.
  public let client: SupabaseClient
  /// Finds or starts this machine's server; nil where no program for it was named.
  public let embeddedServerService: EmbeddedServerService?
  public let authService: AuthService
  public let serverHealthService: ServerHealthService
  public let profileService: ProfileService
  public let friendsService: FriendsService
  public let friendsRealtimeService: FriendsRealtimeService
  public let locationsService: LocationsService
  public let locationsRealtimeService: LocationsRealtimeService
  public let sharingRealtimeService: SharingRealtimeService
  public let missionsService: MissionsService
  public let missionActivityRealtimeService: MissionActivityRealtimeService
  public let invitationsService: InvitationsService
  public let importService: ImportService
  public let phonesService: PhonesService
  public let calendarService: CalendarService
  public let sshKeysService: SSHKeysService
  public let ghostService: GhostService
  public let watchService: WatchService
  public let currentLocationProvider: CurrentLocationProvider
  public let privacyRulesService: PrivacyRulesService
  public let persistenceService: PersistenceService
  public let draftKeeper: DraftKeeper
  /// What happened to the person's own files while nobody waited for it.
  public let storageNotices = StorageNotices()
  public let navigationService: NavigationService
  public let interfaceMemory: InterfaceMemory
  public let linkService: LinkService
  public let syncCoordinator: SyncCoordinator
  /// Nil where nothing has to be saved before the machine sleeps.
  public let sleepMonitor: SleepMonitor?
  public let sharingCoordinator: SharingCoordinator
  public let sessionCoordinator: SessionCoordinator
  public let accountMaintenanceService: AccountMaintenanceService
  public let broadcastStudio: BroadcastStudio

  public let syncTraceService: SyncTraceService
  /// My positions, zones and hours, alerts, the record of ghost mode and queued check-ins, which must survive a crash.
  private let locationState: PersistenceService
  private let draftState: PersistenceService
  private var linkTask: Task<Void, Never>?
  private var isStarted = false

  /// Constructs everything and starts nothing.
  ///
  /// - Parameters:
  ///   - executable: The program that can `serve`; needed for the embedded server only.
  ///   - locationSources: What measures where this device is, in the order of rank.
  ///   - sleepMonitor: What tells of the machine's sleep.
  ///   - capabilities: What the person may have done on this host.
  ///   - storesSession: Whether the session is kept in a file; else it ends with the program.
  ///   - transport: What carries requests; tests fail or hold them here.
  public init(
    folders: RallyFolders, server: ServerChoice, executable: String? = nil,
    locationSources: [LocationSource] = [],
    broadcastStudio: BroadcastStudio = .shared, sleepMonitor: SleepMonitor? = nil,
    capabilities: Capabilities = .owner, storesSession: Bool = true, transport: Transport = .live
  ) {
    self.sleepMonitor = sleepMonitor
    self.folders = folders
    self.server = server
    self.broadcastStudio = broadcastStudio
    embeddedServerService = executable.map {
      EmbeddedServerService(folders: folders, executable: $0, transport: transport)
    }
    client = SupabaseClient(
      tokens: storesSession
        ? TokenStore(
          folder: folders.profileState, server: server.name, notices: storageNotices) : nil,
      transport: transport, prepare: server.prepare(starting: embeddedServerService))
    authService = AuthService(client: client)
    serverHealthService = ServerHealthService(client: client)
    profileService = ProfileService(client: client)
    friendsService = FriendsService(client: client)
    friendsRealtimeService = FriendsRealtimeService(client: client)
    locationsService = LocationsService(client: client)
    locationsRealtimeService = LocationsRealtimeService(client: client)
    sharingRealtimeService = SharingRealtimeService(client: client)
    missionsService = MissionsService(client: client)
    missionActivityRealtimeService = MissionActivityRealtimeService(client: client)
    invitationsService = InvitationsService(client: client)
    importService = ImportService(
      missionsService: missionsService, capabilities: capabilities)
    phonesService = PhonesService(client: client)
    calendarService = CalendarService(client: client)
    sshKeysService = SSHKeysService(client: client)
    watchService = WatchService(client: client)
    // Not in the cache: nobody could fetch it again.
    locationState = PersistenceService(
      folder: "\(folders.profileState)/location/\(ServerName.fileName(for: server.name))",
      notices: storageNotices)
    ghostService = GhostService(
      authService: authService, locationsService: locationsService,
      persistenceService: locationState)
    currentLocationProvider = CurrentLocationProvider(
      authService: authService, persistenceService: locationState, sources: locationSources)
    privacyRulesService = PrivacyRulesService(
      authService: authService, privacyService: PrivacyService(client: client),
      persistenceService: locationState)
    persistenceService = PersistenceService(
      folder: "\(folders.profileCache)/\(ServerName.fileName(for: server.name))")
    draftState = PersistenceService(
      folder: "\(folders.profileState)/drafts/\(ServerName.fileName(for: server.name))",
      notices: storageNotices)
    draftKeeper = DraftKeeper(authService: authService, persistenceService: draftState)
    navigationService = NavigationService()
    interfaceMemory = InterfaceMemory(
      persistenceService: PersistenceService(folder: folders.profileState))
    linkService = LinkService(client: client)
    syncTraceService = SyncTraceService(folders: folders)
    sharingCoordinator = SharingCoordinator(server: server)
    sessionCoordinator = SessionCoordinator(
      profileService: profileService, broadcastStudio: broadcastStudio)
    accountMaintenanceService = AccountMaintenanceService(
      authService: authService, ghostService: ghostService,
      files: [
        EditorService(folder: EditorService.folder(in: folders)), draftKeeper,
        AccountFolder(persistenceService: persistenceService),
        // A wish to be a ghost goes out with the next sign-in.
        AccountFolder(persistenceService: locationState, keptKey: GhostService.key),
        currentLocationProvider, privacyRulesService, interfaceMemory,
      ])
    syncCoordinator = SyncCoordinator(record: { [syncTraceService] in syncTraceService.record($0) })
  }

  deinit { linkTask?.cancel() }

  /// Makes the `.shared` services stand on this program's connection.
  public func installAsShared() {
    SupabaseClient.shared.stand(on: client)
    PersistenceService.shared.stand(on: persistenceService)
  }

  /// Starts what runs by itself: the session, the link, the synchronization.
  ///
  /// Does not wait for the network. A second call does nothing.
  ///
  /// - Parameter preferences: What the runtime policy says; asked once the session is restored,
  ///   since the policy may change until then.
  public func start(preferences: @MainActor () -> SyncPreferences) async {
    guard !isStarted else { return }
    isStarted = true
    let session = await authService.restoreSession()
    client.joinReads()
    await client.realtime?.start()
    linkTask = Task { [linkService] in await linkService.follow() }
    sessionCoordinator.start(authService.sessionEvents(), userID: session?.user.id)
    syncCoordinator.start(preferences: preferences())
  }

  /// Stops what `start` began: the socket is closed, the embedded server may end, and nothing more
  /// is written to the folders.
  public func stop() async {
    linkTask?.cancel()
    sessionCoordinator.stop()
    await client.realtime?.stop()
    syncCoordinator.stop()
    await syncTraceService.flush()
    for service in [persistenceService, locationState, draftState] { await service.close() }
  }

  /// A store over these services; the view that calls this owns it.
  public func makeSocialStore() -> SocialStore {
    SocialStore(
      authService: authService, friendsService: friendsService, profileService: profileService,
      friendsRealtimeService: friendsRealtimeService, persistenceService: persistenceService)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeMapStore() -> MapStore {
    MapStore(
      authService: authService, locationsService: locationsService,
      locationsRealtimeService: locationsRealtimeService, persistenceService: persistenceService,
      currentLocationProvider: currentLocationProvider)
  }

  /// A store over these services; the view that calls this owns it.
  ///
  /// - Parameters:
  ///   - placeFinder: What knows the names of places.
  ///   - provider: What knows where this device is; nil for `currentLocationProvider`.
  public func makeLocationSharingStore(
    placeFinder: PlaceFinder = .none,
    currentLocationProvider provider: CurrentLocationProvider? = nil
  ) -> LocationSharingStore {
    LocationSharingStore(
      authService: authService, locationsService: locationsService, ghostService: ghostService,
      sharingRealtimeService: sharingRealtimeService, persistenceService: persistenceService,
      currentLocationProvider: provider ?? currentLocationProvider,
      privacyRules: privacyRulesService, placeFinder: placeFinder)
  }

  /// A store over these services; the view that calls this owns it.
  ///
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

  /// A store over these services; the view that calls this owns it.
  public func makeMissionsStore() -> MissionsStore {
    MissionsStore(
      authService: authService, missionsService: missionsService,
      missionActivityRealtimeService: missionActivityRealtimeService,
      persistenceService: persistenceService, statePersistenceService: locationState,
      currentLocationProvider: currentLocationProvider, privacyRules: privacyRulesService)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeInvitationsStore() -> InvitationsStore {
    InvitationsStore(invitationsService: invitationsService)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeSSHKeysStore() -> SSHKeysStore {
    SSHKeysStore(sshKeysService: sshKeysService, server: server)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeCalendarStore() -> CalendarStore {
    CalendarStore(calendarService: calendarService, server: server)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeAlertsStore() -> AlertsStore {
    AlertsStore(authService: authService, persistenceService: locationState)
  }

  /// A store over these services; the view that calls this owns it.
  public func makePhonesStore() -> PhonesStore {
    PhonesStore(phonesService: phonesService, profileService: profileService, server: server)
  }

  /// Keeps the status for programs that only read it; nothing is written before its `start`.
  public func makeStatusKeeper() -> StatusKeeper {
    StatusKeeper(authService: authService, persistenceService: persistenceService)
  }

  /// Keeps the drafts of a session; the view that calls this owns it.
  public func makeDraftStores() -> StoreContainer<DraftServices> {
    StoreContainer(
      environment: DraftServices(
        draftKeeper: draftKeeper, profileService: profileService,
        broadcastStudio: broadcastStudio))
  }

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

// What features keep of an account.

extension DraftKeeper: AccountFile {}
extension CurrentLocationProvider: AccountFile {}
extension PrivacyRulesService: AccountFile {}

extension EditorService: AccountFile {
  public func forget(userID: UUID) throws { try forget() }
}

extension InterfaceMemory: AccountFile {
  public func forget(userID: UUID) async throws { try await forget() }
}
