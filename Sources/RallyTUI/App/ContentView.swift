import RallyDomain
import RallyWire

/// The three tabs of a signed-in person; owns the stores that outlive a change of tabs.
struct ContentView: View {
  let session: RallySession

  @State private var socialStore: SocialStore
  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator

  init(session: RallySession) {
    self.session = session
    _socialStore = State(wrappedValue: session.takeSocialStore())
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
    .onChange(of: socialStore.presentedError) { if let error = $1 { present(error) } }
    .onChange(of: SocialStanding(socialStore)) {
      for sentence in SocialNews.sentences(from: $0, to: $1) { interface.say(sentence) }
    }
    .environment(\.socialStore, socialStore)
    .environment(\.authService, services.authService)
    .environment(\.profileService, services.profileService)
    .environment(\.friendsService, services.friendsService)
    .environment(\.friendsRealtimeService, services.friendsRealtimeService)
    .environment(\.persistenceService, services.persistenceService)
    .environment(\.navigationService, services.navigationService)
    .environment(\.linkService, services.linkService)
    .environment(\.syncCoordinator, services.syncCoordinator)
  }

  private var preferences: SyncPreferences {
    SyncPreferences(
      shouldEnableSocialRealtime: runtimePolicyCoordinator.shouldEnableSocialRealtime,
      syncInterval: runtimePolicyCoordinator.mapSyncInterval)
  }

  /// Hands the coordinator's directives to the intents that carry them out.
  private func synchronize() async {
    let services = session.services
    await services.start(preferences: preferences)
    for await directive in services.syncCoordinator.directives() {
      switch directive {
      case .refresh(let reason):
        // Not awaited: leaving realtime must not wait for a slow list.
        Task { await socialStore.refreshAll(mode: reason == .start ? .initial : .refresh) }
      case .joinRealtime: socialStore.startFriendshipsRealtimeListener()
      case .leaveRealtime: socialStore.stopFriendshipsRealtimeListener()
      case .poll(let interval): socialStore.setPollInterval(interval)
      case .checkLink: await services.linkService.retryNow()
      case .saveState: Task { await socialStore.saveState() }
      }
    }
  }

  private func watchSession() async {
    for await message in session.services.broadcastStudio.messages() {
      if case .sessionEnded = message { session.sessionEnded() }
    }
  }

  private func present(_ error: CommunityViewError) {
    interface.say("\(error.title) \(error.description)", kind: .failure)
    socialStore.presentedError = nil
  }
}
