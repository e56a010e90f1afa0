import Foundation
import RallyClient
import RallyDomain
import RallySystem
import RallyWire

/// Sample users and rows for tests.
public enum Samples {
  public static let password = "correct horse"

  public static func id(_ number: Int) -> UUID {
    let digits = String(number)
    let padded = String(repeating: "0", count: max(0, 12 - digits.count)) + digits
    return UUID(wireText: "00000000-0000-4000-8000-\(padded)") ?? UUID()
  }

  public static let time = WireTime("2026-03-01T12:00:00Z") ?? .now

  /// Names, some with wide characters and accents.
  public static let names = [
    ("ana", "Ana Pereira"), ("kenji", "田中 健司"), ("lu", "Lucía Gómez"), ("rui", "Rui Costa"),
    ("max", "Max Lind"), ("zoe", "Zoe Brandt"), ("okoro", "Andrew Okoro"), ("tomas", "Tomás Rey"),
    ("inesv", "Ines Vaz"),
  ]

  /// The user with this number; numbers beyond `names` get a generated name.
  public static func person(
    _ number: Int, status: FriendshipStatus? = nil, presence: Presence? = nil
  ) -> CommunityProfile {
    let (username, displayName) =
      names.indices.contains(number) ? names[number] : ("person\(number)", "Person \(number)")
    return CommunityProfile(
      id: id(number), username: username, displayName: displayName,
      bio: "Met at the fog run.", joinedAt: time, since: status == .friends ? time : nil,
      presence: presence, lastSeen: nil, friendshipStatus: status)
  }

  public static func friend(_ number: Int, presence: Presence = .offline) -> CommunityProfile {
    person(number, status: .friends, presence: presence)
  }

  public static func request(
    _ number: Int, _ direction: RequestDirection = .incoming
  ) -> FriendRequestItem {
    FriendRequestItem(
      profile: person(number, status: direction == .incoming ? .incoming : .outgoing),
      direction: direction, createdAt: time)
  }

  /// A session as a server returns it.
  public static func session(
    user: UUID = id(1), token: String = "access-1", refreshToken: String = "refresh-0001",
    expiresIn: Int = 3600, at now: WireTime = time
  ) -> AuthSession {
    AuthSession(
      accessToken: token, expiresIn: expiresIn,
      expiresAt: Int(now.microseconds / 1_000_000) + expiresIn, refreshToken: refreshToken,
      user: AuthUser(
        id: user, email: "ana@example.org", appMetadata: [:], userMetadata: [:],
        createdAt: now.zulu, updatedAt: now.zulu))
  }
}

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
