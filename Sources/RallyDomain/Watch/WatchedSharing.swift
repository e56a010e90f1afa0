import RallyClient
import RallySystem
import RallyWire

/// What a link that shows where I am has to know of what I share, and changes of it.
@MainActor
protocol WatchedSharing: AnyObject, Sendable {
  /// My links, the oldest first.
  var links: [WatchLinkRecord] { get set }
  var ghostPhase: GhostPhase? { get }
  var privacyRules: PrivacyRulesService { get }
  var currentLocationProvider: CurrentLocationProvider { get }
  /// Sources measure while anybody watches.
  func setWatched(_ isWatched: Bool)
}

extension LocationSharingStore: WatchedSharing {}

extension WatchStore {
  /// A store without a server: every call fails with `.notConfigured`.
  static func inert() -> WatchStore {
    WatchStore(
      watchService: WatchService(client: SupabaseClient()),
      authService: AuthService(client: SupabaseClient()),
      serverHealthService: ServerHealthService(client: SupabaseClient()),
      profileService: ProfileService(client: SupabaseClient()),
      persistenceService: PersistenceService(), sharing: LocationSharingStore.inert(), places: .none
    )
  }
}
