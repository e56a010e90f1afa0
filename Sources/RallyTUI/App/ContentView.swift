import RallyDomain
import RallyWire

/// The three tabs of a signed-in person; owns the stores that outlive a change of tabs.
struct ContentView: View {
  let session: RallySession

  @State private var socialStore: SocialStore
  @State private var mapStore: MapStore
  @State private var locationSharingStore: LocationSharingStore
  @State private var missionsStore: MissionsStore
  @State private var draftStores: StoreContainer<DraftServices>
  @State private var frameSummary: FrameSummary
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator

  init(session: RallySession) {
    self.session = session
    let stores = session.takeStores()
    _socialStore = State(wrappedValue: stores.social)
    _mapStore = State(wrappedValue: stores.map)
    _locationSharingStore = State(wrappedValue: stores.locationSharing)
    _missionsStore = State(wrappedValue: stores.missions)
    _draftStores = State(wrappedValue: stores.drafts)
    _frameSummary = State(wrappedValue: FrameSummary(session, stores))
  }

  var body: some View {
    let services = session.services
    frame
      .task { await synchronize() }
      .task { await watchSession() }
      .onChanges(
        Watch(preferences) { services.syncCoordinator.policyChanged($1) },
        Watch(runtimePolicyCoordinator.isNetworkAvailable) {
          services.syncCoordinator.networkChanged(isAvailable: $1)
        },
        Watch(services.navigationService.selectedTab) { show($1) },
        Watch(isMouseTaken) { terminal.setMouse($1) },
        Watch(socialStore.friends) { handOver($1) },
        Watch(services.currentLocationProvider.fix) { _, _ in
          mapStore.currentLocationChanged()
          missionsStore.currentLocationChanged()
        },
        Watch(presentedErrors) { _, errors in
          for error in errors { present(error) }
          if !errors.isEmpty { clearErrors() }
        }
      )
      .followNews(socialStore, missionsStore)
      .followInvitations()
      .windowTitle(frameSummary.waiting)
      .environment { values in
        services.supply(to: &values)
        values.socialStore = socialStore
        values.mapStore = mapStore
        values.locationSharingStore = locationSharingStore
        values.missionsStore = missionsStore
        values.draftStores = draftStores
        values.frameSummary = frameSummary
      }
  }

  private var frame: some View {
    let navigationService = session.services.navigationService
    return AppFrame {
      UnderlayTabView(
        selection: Binding(
          get: { navigationService.selectedTab }, set: { navigationService.select($0) })
      ) {
        UnderlayTab(RallyTab.map.title, value: RallyTab.map) { MapHome() }
        UnderlayTab(RallyTab.missions.title, value: RallyTab.missions) { MissionsHome() }
        UnderlayTab(RallyTab.friends.title, value: RallyTab.friends) { SocialHome() }
      }
    }
  }

  private var presentedErrors: [CommunityViewError] {
    [
      socialStore.presentedError, mapStore.presentedError, locationSharingStore.presentedError,
      missionsStore.presentedError,
    ].compactMap(\.self)
  }

  private func clearErrors() {
    socialStore.presentedError = nil
    mapStore.presentedError = nil
    locationSharingStore.presentedError = nil
    missionsStore.presentedError = nil
  }

  private var isMouseTaken: Bool {
    !interface.isBare
      && MouseUse.isTaken(
        interface.isMouseWanted, tab: session.services.navigationService.selectedTab)
  }

  private var preferences: SyncPreferences {
    SyncPreferences(
      shouldEnableSocialRealtime: runtimePolicyCoordinator.shouldEnableSocialRealtime,
      shouldEnableMapRealtime: runtimePolicyCoordinator.shouldEnableMapRealtime,
      syncInterval: runtimePolicyCoordinator.mapSyncInterval)
  }

  /// Hands the coordinator's directives to the intents that carry them out.
  private func synchronize() async {
    let services = session.services
    terminal.setMouse(isMouseTaken)
    handOver(socialStore.friends)
    show(services.navigationService.selectedTab)
    await services.start(preferences: preferences)
    for await directive in services.syncCoordinator.directives() {
      switch directive {
      case .refresh(let reason):
        // Not awaited: leaving realtime must not wait for a slow list.
        let mode: CommunityRefreshMode = reason == .start ? .initial : .refresh
        Task { await socialStore.refreshAll(mode: mode) }
        Task { await mapStore.refreshAll(mode: mode) }
        Task { await locationSharingStore.refreshAll(mode: mode) }
        Task { await missionsStore.refreshAll(mode: mode) }
      case .joinRealtime:
        socialStore.startFriendshipsRealtimeListener()
        missionsStore.startMissionsRealtimeListener()
      case .leaveRealtime:
        socialStore.stopFriendshipsRealtimeListener()
        missionsStore.stopMissionsRealtimeListener()
      case .poll(let interval):
        socialStore.setPollInterval(interval)
        missionsStore.setPollInterval(interval)
      case .joinMapRealtime: mapStore.startLocationsRealtimeListener()
      case .leaveMapRealtime: mapStore.stopLocationsRealtimeListener()
      case .paceMap(let interval):
        mapStore.setSyncInterval(interval)
        locationSharingStore.setSyncInterval(interval)
      case .checkLink: await services.linkService.retryNow()
      case .saveState: Task { await session.saveState() }
      }
    }
  }

  private func handOver(_ friends: [CommunityProfile]) {
    mapStore.updateFriends(friends)
    locationSharingStore.updateFriends(friends)
    missionsStore.updateFriends(friends)
  }

  /// Tells the stores which of them somebody looks at.
  private func show(_ tab: RallyTab) {
    mapStore.setVisible(tab == .map)
    locationSharingStore.setMapVisible(tab == .map)
    missionsStore.setVisible(tab == .missions)
  }

  private func watchSession() async {
    for await message in session.services.broadcastStudio.messages() {
      if case .sessionEnded = message { session.sessionEnded() }
    }
  }

  private func present(_ error: CommunityViewError) {
    interface.say(
      "\(error.title) \(error.description)", kind: .failure,
      details: error.technicalDetails.isEmpty ? nil : error.technicalDetails)
  }
}
