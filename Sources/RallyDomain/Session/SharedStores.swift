import FoundationEssentials
import RallyClient
import RallyEnvironment
import RallyState
import RallySystem
import RallyWire

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
  public let watch: WatchStore
  public let missions: MissionsStore
  public let invitations: InvitationsStore
  public let alerts: AlertsStore
  public let drafts: StoreContainer<DraftServices>
  public let statusKeeper: StatusKeeper

  init(_ services: AppServices, placeFinder: PlaceFinder, userID: UUID?) {
    self.userID = userID
    social = services.makeSocialStore()
    map = services.makeMapStore()
    locationSharing = services.makeLocationSharingStore(placeFinder: placeFinder)
    watch = services.makeWatchStore(sharing: locationSharing, placeFinder: placeFinder)
    missions = services.makeMissionsStore()
    invitations = services.makeInvitationsStore()
    alerts = services.makeAlertsStore()
    drafts = services.makeDraftStores()
    statusKeeper = services.makeStatusKeeper()
  }

  /// The stores whose failures are presented to whoever waits for them.
  var failurePresenting: [any FailurePresenting] {
    [social, map, locationSharing, watch, missions, invitations, alerts]
  }

  func restoreFromCache() async {
    async let people: Void = social.restoreFromCache()
    async let positions: Void = map.restoreFromCache()
    async let sharing: Void = locationSharing.restoreFromCache()
    async let missions: Void = self.missions.restoreFromCache()
    async let kept: Void = alerts.restore()
    _ = await (people, positions, sharing, missions, kept)
  }

  /// Writes what is shown to files. Drafts come first: they cannot be fetched again.
  func saveState() async {
    await drafts.saveState()
    async let people: Void = social.saveState()
    async let positions: Void = map.saveState()
    async let sharing: Void = locationSharing.saveState()
    async let missions: Void = self.missions.saveState()
    async let status: Void = statusKeeper.saveState()
    _ = await (people, positions, sharing, missions, status)
  }
}

extension SharedStores {
  /// What a status line says now; nil before enough is known.
  func status(of session: RallySession, at now: WireTime) -> ClientStatus? {
    ClientStatus(
      social: social, map: map, sharing: locationSharing, missions: missions,
      link: session.services.linkService, policy: session.runtimePolicyCoordinator, at: now)
  }
}

extension SharedStores: Hashable {
  public nonisolated static func == (one: SharedStores, other: SharedStores) -> Bool {
    one === other
  }

  public nonisolated func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// The services that draft stores depend on: the root environment of the session's
/// `StoreContainer`.
public struct DraftServices: Sendable {
  public var draftKeeper: DraftKeeper
  public var profileService: ProfileService
  public var broadcastStudio: BroadcastStudio

  public init(
    draftKeeper: DraftKeeper, profileService: ProfileService = .shared,
    broadcastStudio: BroadcastStudio = .shared
  ) {
    self.draftKeeper = draftKeeper
    self.profileService = profileService
    self.broadcastStudio = broadcastStudio
  }
}

extension StoreContainer<DraftServices> {
  /// Saves all unsent drafts and returns when they are written.
  public func saveState() async {
    for composer in stores(of: MissionComposerReducer.self) { await composer.send(.close) }
  }
}

// MARK: - Environment

private struct DraftStoresKey: EnvironmentKey {
  /// A fallback that keeps drafts in memory only.
  @MainActor static let defaultValue = StoreContainer(
    environment: DraftServices(
      draftKeeper: DraftKeeper(
        authService: .shared, persistenceService: PersistenceService())))
}

extension EnvironmentValues {
  /// The session's draft stores.
  public var draftStores: StoreContainer<DraftServices> {
    get { self[DraftStoresKey.self] }
    set { self[DraftStoresKey.self] = newValue }
  }
}
