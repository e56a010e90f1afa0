import RallyDomain
import RallyWire

/// The three tabs of a signed-in person; owns the stores that outlive a change of tabs.
struct ContentView: View {
  let session: RallySession

  @State private var socialStore: SocialStore
  @State private var mapStore: MapStore
  @State private var locationSharingStore: LocationSharingStore
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator

  init(session: RallySession) {
    self.session = session
    let stores = session.takeStores()
    _socialStore = State(wrappedValue: stores.social)
    _mapStore = State(wrappedValue: stores.map)
    _locationSharingStore = State(wrappedValue: stores.locationSharing)
  }

  var body: some View {
    let services = session.services
    AppFrame {
      UnderlayTabView(
        selection: Binding(
          get: { services.navigationService.selectedTab },
          set: { services.navigationService.select($0) })
      ) {
        UnderlayTab(RallyTab.map.title, value: RallyTab.map) { MapHome() }
        UnderlayTab(RallyTab.missions.title, value: RallyTab.missions) { MissionsHome() }
        UnderlayTab(RallyTab.friends.title, value: RallyTab.friends) { SocialHome() }
      }
    }
    .task { await synchronize() }
    .task { await watchSession() }
    .onChange(of: preferences) { services.syncCoordinator.policyChanged($1) }
    .onChange(of: runtimePolicyCoordinator.isNetworkAvailable) {
      services.syncCoordinator.networkChanged(isAvailable: $1)
    }
    .onChange(of: services.navigationService.selectedTab) { showMap($1 == .map) }
    .onChange(of: isMouseTaken) { terminal.setMouse($1) }
    .task { terminal.setMouse(isMouseTaken) }
    .onChange(of: socialStore.friends) { handOver($1) }
    .onChange(of: services.currentLocationProvider.fix) { _, _ in
      mapStore.currentLocationChanged()
    }
    .onChange(of: socialStore.presentedError) {
      if let error = $1 {
        present(error)
        socialStore.presentedError = nil
      }
    }
    .onChange(of: mapStore.presentedError) {
      if let error = $1 {
        present(error)
        mapStore.presentedError = nil
      }
    }
    .onChange(of: locationSharingStore.presentedError) {
      if let error = $1 {
        present(error)
        locationSharingStore.presentedError = nil
      }
    }
    .onChange(of: SocialStanding(socialStore)) {
      for sentence in SocialNews.sentences(from: $0, to: $1) { interface.say(sentence) }
    }
    .environment(\.socialStore, socialStore)
    .environment(\.mapStore, mapStore)
    .environment(\.locationSharingStore, locationSharingStore)
    .environment(\.locationsService, services.locationsService)
    .environment(\.locationsRealtimeService, services.locationsRealtimeService)
    .environment(\.ghostService, services.ghostService)
    .environment(\.currentLocationProvider, services.currentLocationProvider)
    .environment(\.authService, services.authService)
    .environment(\.profileService, services.profileService)
    .environment(\.friendsService, services.friendsService)
    .environment(\.friendsRealtimeService, services.friendsRealtimeService)
    .environment(\.persistenceService, services.persistenceService)
    .environment(\.navigationService, services.navigationService)
    .environment(\.linkService, services.linkService)
    .environment(\.syncCoordinator, services.syncCoordinator)
  }

  private var isMouseTaken: Bool {
    MouseUse.isTaken(interface.isMouseWanted, tab: session.services.navigationService.selectedTab)
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
    handOver(socialStore.friends)
    showMap(services.navigationService.selectedTab == .map)
    await services.start(preferences: preferences)
    for await directive in services.syncCoordinator.directives() {
      switch directive {
      case .refresh(let reason):
        // Not awaited: leaving realtime must not wait for a slow list.
        let mode: CommunityRefreshMode = reason == .start ? .initial : .refresh
        Task { await socialStore.refreshAll(mode: mode) }
        Task { await mapStore.refreshAll(mode: mode) }
        Task { await locationSharingStore.refreshAll(mode: mode) }
      case .joinRealtime: socialStore.startFriendshipsRealtimeListener()
      case .leaveRealtime: socialStore.stopFriendshipsRealtimeListener()
      case .poll(let interval): socialStore.setPollInterval(interval)
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
  }

  private func showMap(_ isVisible: Bool) {
    mapStore.setVisible(isVisible)
    locationSharingStore.setMapVisible(isVisible)
  }

  private func watchSession() async {
    for await message in session.services.broadcastStudio.messages() {
      if case .sessionEnded = message { session.sessionEnded() }
    }
  }

  private func present(_ error: CommunityViewError) {
    interface.say("\(error.title) \(error.description)", kind: .failure)
  }
}
