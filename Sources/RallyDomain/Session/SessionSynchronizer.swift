import RallyClient
import RallyState
import RallySystem
import RallyWire

/// Carries out what follows from the state of a session and of the machine: fetches, realtime,
/// polls, what is saved, and what one store needs of another.
@MainActor
final class SessionSynchronizer {
  private let session: RallySession
  private let services: AppServices
  private let stores: SharedStores
  private let policy: RuntimePolicyCoordinator

  // One refresh of each store runs, and one waits.
  private let refreshes: [(store: any SessionStore, runs: JoinedRuns)]
  private let savingRuns = JoinedRuns()

  init(_ session: RallySession, _ stores: SharedStores) {
    self.session = session
    self.stores = stores
    refreshes = stores.all.map { ($0, JoinedRuns()) }
    services = session.services
    policy = session.runtimePolicyCoordinator
  }

  /// Starts the services and carries out the coordinator's directives, until the task is cancelled.
  func run() async {
    handOver(stores.social.friends)
    show(services.navigationService.selectedTab)
    services.syncCoordinator.networkChanged(isAvailable: policy.isNetworkAvailable)
    services.currentLocationProvider.setPace(policy.locationPace)
    let observed = observe()
    await services.start { preferences }
    for await directive in services.syncCoordinator.directives() { await carryOut(directive) }
    withExtendedLifetime(observed) {}
  }

  private func carryOut(_ directive: SyncDirective) async {
    switch directive {
    case .refresh(let reason):
      // Each runs by itself: a slow list delays neither another one nor the next directive.
      let mode: CommunityRefreshMode = reason == .start ? .initial : .refresh
      for (store, runs) in refreshes { runs.run { await store.refreshAll(mode: mode) } }
    case .joinRealtime: for store in stores.all { store.setRealtime(true) }
    case .leaveRealtime: for store in stores.all { store.setRealtime(false) }
    case .poll(let interval): for store in stores.all { store.setPollInterval(interval) }
    case .joinMapRealtime: stores.map.startLocationsRealtimeListener()
    case .leaveMapRealtime: stores.map.stopLocationsRealtimeListener()
    case .paceMap(let interval): for store in stores.all { store.setSyncInterval(interval) }
    case .checkLink: await services.linkService.retryNow()
    case .saveState:
      savingRuns.run { [session, services] in
        await session.saveState()
        services.sleepMonitor?.saved()
      }
    }
  }

  // MARK: - Changes

  /// What follows from each change, for as long as the result is kept.
  private func observe() -> [AnyObject] {
    let (services, stores) = (services, stores)
    return [
      ObservedChanges(of: self.preferences) { services.syncCoordinator.policyChanged($1) },
      ObservedChanges(of: self.policy.isNetworkAvailable) {
        services.syncCoordinator.networkChanged(isAvailable: $1)
      },
      ObservedChanges(of: self.policy.locationPace) {
        services.currentLocationProvider.setPace($1)
      },
      ObservedChanges(of: services.linkService.wakeCount) { _, _ in
        services.syncCoordinator.syncOnWake()
      },
      // The store writes another list only where somebody in it changed.
      ObservedChanges(of: stores.social.friends, isSame: { $0.sharesMemory(with: $1) }) {
        self.handOver($1)
      },
      ObservedChanges(of: services.currentLocationProvider.fix) { _, _ in
        for store in stores.all { store.positionChanged() }
      },
      ObservedChanges(of: services.privacyRulesService.kept) { _, _ in self.rulesChanged() },
      ObservedChanges(of: services.privacyRulesService.hoursChanges) { _, _ in self.rulesChanged()
      },
    ]
  }

  private var preferences: SyncPreferences {
    SyncPreferences(
      shouldEnableSocialRealtime: policy.shouldEnableSocialRealtime,
      shouldEnableMapRealtime: policy.shouldEnableMapRealtime,
      syncInterval: policy.mapSyncInterval)
  }

  /// What is held back now may be another part of where I am.
  private func rulesChanged() {
    stores.missions.currentLocationChanged()
    Task { [stores] in await stores.locationSharing.publishIfChanged() }
  }

  private func handOver(_ friends: [CommunityProfile]) {
    for store in stores.all { store.updateFriends(friends) }
  }

  /// Follows the machine's sleep.
  func followSleep() async {
    guard let sleepMonitor = services.sleepMonitor else { return }
    for await change in sleepMonitor.changes() {
      switch change {
      case .sleep: services.syncCoordinator.syncOnSleep()
      case .wake: services.syncCoordinator.syncOnWake()
      }
    }
  }

  // MARK: - The Screen

  /// Tells the stores which of them somebody looks at.
  func show(_ tab: RallyTab) {
    for store in stores.all { store.tabChanged(to: tab) }
  }

  func foregroundChanged(_ isForeground: Bool) {
    if isForeground {
      services.syncCoordinator.syncOnForeground()
    } else {
      services.syncCoordinator.syncOnBackground()
    }
  }

  func focusChanged(_ hasFocus: Bool) {
    if hasFocus {
      services.syncCoordinator.syncOnFocus(isLive: services.linkService.state == .live)
    } else {
      services.syncCoordinator.syncOnBlur()
    }
  }
}
