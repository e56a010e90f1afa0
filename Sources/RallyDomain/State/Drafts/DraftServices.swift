import Foundation

/// What the drafts of a session stand on: the root environment of their stores.
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
  /// Returns once everything that is typed and not sent is written down.
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
  /// The drafts that were begun in this session.
  public var draftStores: StoreContainer<DraftServices> {
    get { self[DraftStoresKey.self] }
    set { self[DraftStoresKey.self] = newValue }
  }
}
