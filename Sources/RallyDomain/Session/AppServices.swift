import FoundationEssentials
import RallyClient
import RallyState
import RallySystem
import RallyWire

/// The composition root: everything long-lived for one profile on one server. What each feature
/// has stands in `Features.swift`.
///
/// Signing out, or changing profile or server, makes a new one.
@MainActor
public final class AppServices {
  public let folders: RallyFolders
  /// What the person may have done on this host.
  let capabilities: Capabilities
  public let server: ServerChoice
  /// The network service that all others stand on.
  public let client: SupabaseClient
  /// Finds or starts this machine's server; nil where no program for it was named.
  public let embeddedServerService: EmbeddedServerService?
  public let authService: AuthService
  public let serverHealthService: ServerHealthService
  public let profileService: ProfileService
  public let ghostService: GhostService
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
  let locationState: PersistenceService
  private let draftState: PersistenceService
  private var linkTask: Task<Void, Never>?
  private var isStarted = false

  /// Constructs everything and starts nothing.
  ///
  /// - Parameters:
  ///   - executable: The program that can `serve`; needed for the embedded server only.
  ///   - locationSources: What measures where this device is, in the order of rank.
  ///   - sleepMonitor: What reports the machine's sleep.
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
    self.capabilities = capabilities
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
    // Not in the cache: nobody could fetch it again.
    locationState = PersistenceService(
      folder: "\(folders.profileState)/location/\(ServerName.fileName(for: server.name))",
      notices: storageNotices)
    ghostService = GhostService(
      authService: authService, locationsService: LocationsService(client: client),
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
        // A request to be a ghost goes out with the next sign-in.
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
