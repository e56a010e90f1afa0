import RallyDomain
import RallyWire
import TerminalKit

/// Carries out what follows from a session's state, and from that of the machine and the screen,
/// while the session's interface is shown.
///
/// Around the frame and not in the view that makes it: it runs at every change of what it observes,
/// and the frame stays as it is then.
private struct SessionFollowing: View {
  let content: AnyView
  let session: RallySession
  let stores: SharedStores

  @State private var runs = Runs()
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator

  var body: some View {
    let services = session.services
    content
      .task { await synchronize() }
      .task { await watchSession() }
      .task { await watchSessionFile() }
      .task {
        for await sentence in services.storageNotices.sentences() {
          interface.say(sentence, kind: .warning)
        }
      }
      .task { await followSleep() }
      .task { await stores.locationSharing.followFiles() }
      .task { await stores.alerts.followFile() }
      .task {
        for await wait in services.client.waits() { interface.say(wait.waitSentence) }
      }
      .onChanges(
        ChangeObserver(preferences) { services.syncCoordinator.policyChanged($1) },
        ChangeObserver(runtimePolicyCoordinator.isNetworkAvailable) {
          services.syncCoordinator.networkChanged(isAvailable: $1)
        },
        ChangeObserver(services.linkService.state.isReached) { _, isReached in
          if isReached { interface.toasts.serverReached() }
        },
        ChangeObserver(terminal.isForeground) { _, isForeground in
          if isForeground {
            services.syncCoordinator.syncOnForeground()
          } else {
            services.syncCoordinator.syncOnBackground()
          }
        },
        ChangeObserver(terminal.hasFocus) { _, hasFocus in
          if hasFocus {
            services.syncCoordinator.syncOnFocus(isLive: services.linkService.state == .live)
          } else {
            services.syncCoordinator.syncOnBlur()
          }
        },
        ChangeObserver(services.linkService.wakeCount) { _, _ in
          services.syncCoordinator.syncOnWake()
        },
        ChangeObserver(services.navigationService.selectedTab) { show($1) },
        ChangeObserver(isMouseTaken) { terminal.setMouse($1) },
        ChangeObserver(stores.social.friends) { handOver($1) },
        ChangeObserver(services.currentLocationProvider.fix) { _, _ in
          stores.map.currentLocationChanged()
          stores.missions.currentLocationChanged()
          Task { await stores.locationSharing.currentLocationChanged() }
        },
        ChangeObserver(services.privacyRulesStore.kept) { _, _ in rulesChanged() },
        ChangeObserver(services.privacyRulesStore.hoursChanges) { _, _ in rulesChanged() },
        ChangeObserver(presentedErrors) { _, errors in
          for error in errors { present(error) }
          if !errors.isEmpty { clearErrors() }
        }
      )
  }

  /// One refresh of each store runs, and one waits.
  @MainActor private struct Runs {
    let social = JoinedRuns()
    let map = JoinedRuns()
    let sharing = JoinedRuns()
    let missions = JoinedRuns()
    let saving = JoinedRuns()
  }

  private var presentedErrors: [CommunityViewError] {
    [
      stores.social.presentedError, stores.map.presentedError,
      stores.locationSharing.presentedError,
      stores.missions.presentedError,
    ].compactMap(\.self)
  }

  private func clearErrors() {
    stores.social.presentedError = nil
    stores.map.presentedError = nil
    stores.locationSharing.presentedError = nil
    stores.missions.presentedError = nil
  }

  private var isMouseTaken: Bool {
    !interface.isTextOnly
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
    handOver(stores.social.friends)
    show(services.navigationService.selectedTab)
    services.syncCoordinator.networkChanged(
      isAvailable: runtimePolicyCoordinator.isNetworkAvailable)
    await services.start { preferences }
    for await directive in services.syncCoordinator.directives() {
      switch directive {
      case .refresh(let reason):
        // Not awaited: leaving realtime must not wait for a slow list, nor one list for another.
        let mode: CommunityRefreshMode = reason == .start ? .initial : .refresh
        runs.social.run { await stores.social.refreshAll(mode: mode) }
        runs.map.run { await stores.map.refreshAll(mode: mode) }
        runs.sharing.run { await stores.locationSharing.refreshAll(mode: mode) }
        runs.missions.run { await stores.missions.refreshAll(mode: mode) }
      case .joinRealtime:
        stores.social.startFriendshipsRealtimeListener()
        stores.locationSharing.startSharingRealtimeListener()
        stores.missions.startMissionsRealtimeListener()
      case .leaveRealtime:
        stores.social.stopFriendshipsRealtimeListener()
        stores.locationSharing.stopSharingRealtimeListener()
        stores.missions.stopMissionsRealtimeListener()
      case .poll(let interval):
        stores.social.setPollInterval(interval)
        stores.locationSharing.setPollInterval(interval)
        stores.missions.setPollInterval(interval)
      case .joinMapRealtime: stores.map.startLocationsRealtimeListener()
      case .leaveMapRealtime: stores.map.stopLocationsRealtimeListener()
      case .paceMap(let interval):
        stores.map.setSyncInterval(interval)
        stores.locationSharing.setSyncInterval(interval)
      case .checkLink: await services.linkService.retryNow()
      case .saveState:
        runs.saving.run {
          await session.saveState()
          services.sleepMonitor?.saved()
        }
      }
    }
  }

  /// What is held back now may be another part of where I am.
  private func rulesChanged() {
    stores.missions.currentLocationChanged()
    Task { await stores.locationSharing.publishIfChanged() }
  }

  private func followSleep() async {
    let services = session.services
    guard let sleepMonitor = services.sleepMonitor else { return }
    for await change in sleepMonitor.changes() {
      switch change {
      case .sleep: services.syncCoordinator.syncOnSleep()
      case .wake: services.syncCoordinator.syncOnWake()
      }
    }
  }

  private func handOver(_ friends: [CommunityProfile]) {
    stores.map.updateFriends(friends)
    stores.locationSharing.updateFriends(friends)
    stores.missions.updateFriends(friends)
  }

  /// Tells the stores which of them somebody looks at.
  private func show(_ tab: RallyTab) {
    stores.map.setVisible(tab == .map)
    stores.locationSharing.setMapVisible(tab == .map)
    stores.missions.setVisible(tab == .missions)
  }

  private func watchSession() async {
    for await message in session.services.broadcastStudio.messages() {
      switch message {
      case .sessionEnded: session.sessionEnded()
      case .accountChanged(let userID): await session.accountChanged(to: userID)
      }
    }
  }

  /// Says when what was signed in will not be there at the next start.
  private func watchSessionFile() async {
    let authService = session.services.authService
    let events = authService.sessionEvents()
    var told = session.unkept
    if let told { warn(told) }
    for await event in events where event == .refreshed {
      let unkept = await authService.unkeptSession?.sentence
      if let unkept, unkept != told { warn(unkept) }
      told = unkept
    }
  }

  private func warn(_ unkept: String) {
    interface.say(
      "You are signed in until Rally ends, and not at the next start: \(unkept)", kind: .warning)
  }

  private func present(_ error: CommunityViewError) {
    interface.say(
      "\(error.title). \(error.description)", kind: .failure,
      details: error.technicalDetails.isEmpty ? nil : error.technicalDetails,
      untilReached: error.isOffline)
  }
}

extension View {
  /// Carries out what follows from the session's state.
  func followsSession(_ session: RallySession, _ stores: SharedStores) -> some View {
    SessionFollowing(content: AnyView(self), session: session, stores: stores)
  }
}
