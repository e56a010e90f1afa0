import RallyClient
import RallyDomain
import RallyWire

extension Samples {
  public static let lisbon = coordinate(38.7223, -9.1393)
  public static let porto = coordinate(41.1496, -8.611)

  /// A valid coordinate; traps if it is not.
  public static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("\(latitude), \(longitude) is no place")
    }
    return place
  }

  /// A friend's position as the server sends it.
  public static func location(
    of number: Int, at coordinate: Coordinate = lisbon, precision: SharingMode = .precise,
    recordedAt: WireTime = time, version: Int64 = 1, speed: Double? = nil,
    course: Double? = nil
  ) -> LocationRecord {
    LocationRecord(
      userID: id(number), coordinate: coordinate,
      accuracyMetres: precision.gridLevel?.accuracyMetres ?? 12, speed: speed, course: course,
      battery: nil, recordedAt: recordedAt, source: "manual", precision: precision,
      version: version)
  }
}

/// Makes two users friends.
///
/// - Throws: `NetworkError` if a request fails.
public func befriend(_ one: TestPerson, _ other: TestPerson) async throws {
  try await one.friendsService.requestFriend(userID: other.userID)
  try await other.friendsService.respondToFriendRequest(userID: one.userID, accept: true)
}

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
