import FoundationEssentials
import Logging
import RallyClient
import RallySystem
import RallyWire
import Synchronization

/// Profiles of people, cached for `cacheLifetime`.
public final class ProfileService: Sendable {
  public static let shared = ProfileService(client: .shared)

  /// How long a cached profile is used.
  public static let cacheLifetime: Duration = .seconds(300)

  private struct Entry {
    var profile: CommunityProfile
    var fetchedAt: ContinuousClock.Instant
  }

  private let client: ServiceClient
  private let clock: @Sendable () -> ContinuousClock.Instant
  private let cache = Mutex<[UUID: Entry]>([:])
  private let log = RallyLog.logger("Profile")

  public init(
    client: SupabaseClient,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.client = client.logging(by: log)
    self.clock = clock
  }

  /// My own profile; nil while nobody is signed in.
  ///
  /// - Throws: `NetworkError` or `CancellationError`.
  public func fetchProfile(forceRefresh: Bool = false) async throws -> CommunityProfile? {
    log.info("fetchProfile — anew: \(forceRefresh)")
    guard let session = try await client.client.configured().keeper.current() else { return nil }
    return try await profiles(for: [session.user.id], forceRefresh: forceRefresh).first
  }

  /// The profiles of users, in the order asked for, without those who do not exist or are hidden
  /// from me.
  ///
  /// - Parameter userIDs: The server refuses more than 500 that are not cached.
  /// - Throws: `NetworkError` or `CancellationError`.
  public func profiles(
    for userIDs: [UUID], forceRefresh: Bool = false
  ) async throws -> [CommunityProfile] {
    let now = clock()
    let cached = cache.withLock { $0.filter { now - $0.value.fetchedAt < Self.cacheLifetime } }
    let missing = userIDs.filter { forceRefresh || cached[$0] == nil }
    var fetched: [UUID: CommunityProfile] = [:]
    if !missing.isEmpty {
      log.info("profiles — users: \(missing.count)")
      for row in try await client.page(FetchProfiles(userIDs: missing)) {
        let profile = CommunityProfile(row)
        fetched[profile.id] = profile
        cache.withLock { $0[profile.id] = Entry(profile: profile, fetchedAt: now) }
      }
    }
    let missed = Set(missing)
    return userIDs.compactMap { missed.contains($0) ? fetched[$0] : cached[$0]?.profile }
  }

  /// Changes my profile; nil leaves a field unchanged.
  ///
  /// - Throws: `FieldProblem` before anything is sent, or `NetworkError`.
  @discardableResult
  public func updateProfile(
    displayName: String? = nil, bio: String? = nil, username: String? = nil,
    clientID: UUID = UUID()
  ) async throws -> CommunityProfile {
    var change = UpdateProfile()
    if let displayName { change.displayName = try ProfileText.displayName(displayName) }
    if let bio { change.bio = try ProfileText.bio(bio) }
    if let username { change.username = try Username(username).value }
    log.info("updateProfile — sent")
    let profile = CommunityProfile(try await client.call(change, clientID: clientID))
    cache.withLock { $0[profile.id] = Entry(profile: profile, fetchedAt: clock()) }
    return profile
  }

  /// Takes a profile that an event brought, in place of one that is cached.
  func receive(_ profile: CommunityProfile) {
    cache.withLock {
      if $0[profile.id] != nil { $0[profile.id] = Entry(profile: profile, fetchedAt: clock()) }
    }
  }

  /// Clears the cache; called when the session changes.
  public func clearCache() { cache.withLock { $0.removeAll() } }
}
