import RallyClient
import RallyEnvironment
import RallyState
import RallySystem

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
