import Foundation
import RallyWire

/// The composition root: everything long-lived for one profile on one server.
///
/// Signing out, or changing profile or server, makes a new one.
@MainActor
public final class AppServices {
  public let folders: RallyFolders
  public let server: ServerChoice
  public let client: SupabaseClient
  public let authService: AuthService
  public let profileService: ProfileService
  public let friendsService: FriendsService
  public let friendsRealtimeService: FriendsRealtimeService
  public let persistenceService: PersistenceService
  public let navigationService: NavigationService
  public let linkService: LinkService
  public let syncCoordinator: SyncCoordinator

  private var isStarted = false

  /// - Parameters:
  ///   - executable: The program that can `serve`; needed for the embedded server only.
  ///   - transport: What carries requests; tests fail or hold them here.
  public init(
    folders: RallyFolders, server: ServerChoice, executable: String? = nil,
    transport: Transport = .live
  ) {
    self.folders = folders
    self.server = server
    client = SupabaseClient(
      tokens: TokenStore(folder: folders.profileState, server: server.name),
      transport: transport,
      prepare: { throw NetworkError.notConfigured })
    authService = AuthService(client: client)
    profileService = ProfileService(client: client)
    friendsService = FriendsService(client: client)
    friendsRealtimeService = FriendsRealtimeService(client: client)
    persistenceService = PersistenceService(folder: folders.profileCache)
    navigationService = NavigationService()
    linkService = LinkService(client: client)
    syncCoordinator = SyncCoordinator()
  }

  /// Makes the `.shared` services stand on this program's connection.
  public func installAsShared() {
    SupabaseClient.shared.stand(on: client)
    PersistenceService.shared.stand(on: persistenceService)
  }

  /// Starts what runs by itself; a second call does nothing.
  public func start(preferences: SyncPreferences) async {
    guard !isStarted else { return }
    isStarted = true
    await authService.restoreSession()
    syncCoordinator.start(preferences: preferences)
  }

  /// A store over these services; the view that calls this owns it.
  public func makeSocialStore() -> SocialStore {
    SocialStore(
      authService: authService, friendsService: friendsService, profileService: profileService,
      friendsRealtimeService: friendsRealtimeService, persistenceService: persistenceService)
  }

  /// The services and coordinators for a tree of views.
  public var environment: EnvironmentValues {
    var values = EnvironmentValues()
    values.authService = authService
    values.profileService = profileService
    values.friendsService = friendsService
    values.friendsRealtimeService = friendsRealtimeService
    values.persistenceService = persistenceService
    values.navigationService = navigationService
    values.linkService = linkService
    values.syncCoordinator = syncCoordinator
    return values
  }
}

/// Which server a profile talks to.
public enum ServerChoice: Hashable, Sendable {
  /// The one of this machine, started when it is needed.
  case embedded
  case remote(ServerURL, key: String)

  /// What tells it from other servers; for files and for people.
  public var name: String {
    switch self {
    case .embedded: "embedded"
    case .remote(let url, _): url.description
    }
  }
}
