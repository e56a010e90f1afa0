import Foundation
import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// A user with an account on a test server, and the services of their client.
public struct TestPerson: Sendable {
  public let userID: UUID
  public let username: String
  public let client: SupabaseClient
  public let gate: TransportGate
  public let authService: AuthService
  public let friendsService: FriendsService
  public let profileService: ProfileService
  public let friendsRealtimeService: FriendsRealtimeService
  public let locationsService: LocationsService
  public let locationsRealtimeService: LocationsRealtimeService
  public let ghostService: GhostService
  public let persistenceService: PersistenceService
  /// Storage that must survive clearing the cache.
  public let statePersistence: PersistenceService
  /// The folder of the session and the cache.
  public let folder: TemporaryFolder

  /// Creates an account and signs in.
  ///
  /// - Throws: `AuthError` if the sign-up fails.
  public init(signingUp username: String, on server: TestServer) async throws {
    let folder = try TemporaryFolder()
    let gate = TransportGate()
    let address = ServerAddress(endpoint: .url(try ServerURL(server.url)), key: server.key)
    client = SupabaseClient(
      tokens: TokenStore(folder: folder.file("state"), server: server.url),
      transport: gate.transport, prepare: { address })
    self.folder = folder
    self.gate = gate
    self.username = username
    authService = AuthService(client: client)
    friendsService = FriendsService(client: client)
    profileService = ProfileService(client: client)
    friendsRealtimeService = FriendsRealtimeService(client: client)
    locationsService = LocationsService(client: client)
    locationsRealtimeService = LocationsRealtimeService(client: client)
    persistenceService = PersistenceService(folder: folder.file("cache"))
    statePersistence = PersistenceService(folder: folder.file("location"))
    ghostService = GhostService(
      authService: authService, locationsService: locationsService,
      persistenceService: statePersistence)
    let session = try await authService.signUp(
      email: "\(username)@example.org", password: Samples.password, username: username,
      displayName: username.capitalized)
    userID = session.user.id
  }

  @MainActor
  public func makeSocialStore(
    refreshPause: Duration = .milliseconds(1), now: @escaping () -> WireTime = { .now }
  ) -> SocialStore {
    var timing = StoreTiming()
    timing.searchPause = .milliseconds(1)
    timing.refreshPause = refreshPause
    return SocialStore(
      authService: authService, friendsService: friendsService, profileService: profileService,
      friendsRealtimeService: friendsRealtimeService, persistenceService: persistenceService,
      timing: timing, now: now)
  }
}

/// Makes two users friends.
///
/// - Throws: `NetworkError` if a request fails.
public func befriend(_ one: TestPerson, _ other: TestPerson) async throws {
  try await one.friendsService.requestFriend(userID: other.userID)
  try await other.friendsService.respondToFriendRequest(userID: one.userID, accept: true)
}

// MARK: - Map

extension TestPerson {
  /// The user's friend list, as the server returns it.
  ///
  /// - Throws: `NetworkError` if the request fails.
  public func friends() async throws -> [CommunityProfile] {
    try await friendsService.fetchFriends(limit: Paging.maximumLimit, offset: 0).rows
  }

  @MainActor
  public func makeCurrentLocationProvider() -> CurrentLocationProvider {
    CurrentLocationProvider(authService: authService, persistenceService: statePersistence)
  }

  /// The zones and hours of the user, as their machine keeps them.
  ///
  /// - Parameter now: The client's wall clock.
  @MainActor
  public func makePrivacyRulesService(
    now: @escaping () -> WireTime = { .now }
  ) -> PrivacyRulesService {
    PrivacyRulesService(
      authService: authService, privacyService: PrivacyService(client: client),
      persistenceService: statePersistence, now: now)
  }

  @MainActor
  public func makeMapStore(
    currentLocationProvider: CurrentLocationProvider? = nil
  ) -> MapStore {
    MapStore(
      authService: authService, locationsService: locationsService,
      locationsRealtimeService: locationsRealtimeService,
      persistenceService: persistenceService,
      currentLocationProvider: currentLocationProvider ?? makeCurrentLocationProvider(),
      timing: Self.mapTiming)
  }

  /// - Parameter now: The client's wall clock.
  @MainActor
  public func makeLocationSharingStore(
    currentLocationProvider: CurrentLocationProvider? = nil,
    privacyRules: PrivacyRulesService? = nil, placeFinder: PlaceFinder = .none,
    timing: StoreTiming = mapTiming, now: @escaping () -> WireTime = { .now }
  ) -> LocationSharingStore {
    LocationSharingStore(
      authService: authService, locationsService: locationsService, ghostService: ghostService,
      sharingRealtimeService: SharingRealtimeService(client: client),
      persistenceService: persistenceService,
      currentLocationProvider: currentLocationProvider ?? makeCurrentLocationProvider(),
      privacyRules: privacyRules ?? makePrivacyRulesService(now: now),
      placeFinder: placeFinder, timing: timing, now: now)
  }

  @MainActor public static var mapTiming: StoreTiming {
    var timing = StoreTiming()
    timing.refreshPause = .milliseconds(1)
    return timing
  }
}

// MARK: - Missions

extension TestPerson {
  public var missionsService: MissionsService { MissionsService(client: client) }

  /// Creates a mission in Lisbon with two objectives, a door and a cat, with the mission's radius
  /// of 50 m.
  ///
  /// - Throws: `NetworkError` if the request fails.
  public func makeMission(
    title: String = "Lanterns", capacity: Int? = nil, visibility: MissionVisibility = .friends,
    objectives: [ObjectiveInput] = [
      ObjectiveInput(title: "Blue door"), ObjectiveInput(title: "Stone cat"),
    ]
  ) async throws -> Mission {
    try await missionsService.createMission(
      CreateMission(
        title: title, centre: Samples.lisbon, radiusMetres: 50, capacity: capacity,
        visibility: visibility, objectives: objectives))
  }

  /// - Parameters:
  ///   - place: The user's position; nil if unknown.
  ///   - now: The client's wall clock.
  @MainActor
  public func makeMissionsStore(
    at place: Coordinate? = nil, refreshPause: Duration = .milliseconds(1),
    now: @escaping () -> WireTime = { .now }
  ) async throws -> MissionsStore {
    let provider = makeCurrentLocationProvider()
    if let place { try await provider.setManual(place) }
    return makeMissionsStore(
      currentLocationProvider: provider, refreshPause: refreshPause, now: now)
  }

  @MainActor
  public func makeMissionsStore(
    currentLocationProvider: CurrentLocationProvider, privacyRules: PrivacyRulesService? = nil,
    refreshPause: Duration = .milliseconds(1), now: @escaping () -> WireTime = { .now }
  ) -> MissionsStore {
    var timing = StoreTiming()
    timing.refreshPause = refreshPause
    return MissionsStore(
      authService: authService, missionsService: missionsService,
      missionActivityRealtimeService: MissionActivityRealtimeService(client: client),
      persistenceService: persistenceService, statePersistenceService: statePersistence,
      currentLocationProvider: currentLocationProvider,
      privacyRules: privacyRules ?? makePrivacyRulesService(now: now), timing: timing, now: now)
  }
}
