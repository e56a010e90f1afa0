import Foundation
import Logging
import Observation
import RallyWire

/// Friends, requests and people search of the signed-in person.
@MainActor
@Observable
public final class SocialStore {
  // MARK: - Dependencies
  @ObservationIgnored private let authService: AuthService
  @ObservationIgnored private let friendsService: FriendsService
  @ObservationIgnored private let profileService: ProfileService
  @ObservationIgnored private let friendsRealtimeService: FriendsRealtimeService
  @ObservationIgnored private let persistenceService: PersistenceService

  // MARK: - State
  public private(set) var loadState: CommunityLoadState = .loading
  /// The latest failure that a person should read; the view clears it.
  public var presentedError: CommunityViewError?
  /// Sorted by name, without regard to case.
  public private(set) var friends: [CommunityProfile] = []
  /// Newest first.
  public private(set) var incomingRequests: [FriendRequestItem] = []
  public private(set) var outgoingRequests: [FriendRequestItem] = []
  /// People found by the current search text.
  public private(set) var peopleResults: [CommunityProfile] = []
  /// How the people search stands.
  public private(set) var peopleSearchState: PeopleSearchState = .idle
  public private(set) var profile: CommunityProfile?
  /// When what is shown was fetched; older than now when it comes from the cache.
  public private(set) var asOf: WireTime?
  /// Friends whose end is on its way to the server.
  public private(set) var unfriendingProfileIDs: Set<UUID> = []
  /// People with a request, an answer, a block or an unblock on its way to the server.
  public private(set) var settlingProfileIDs: Set<UUID> = []

  // MARK: - Lifecycle

  public init(
    authService: AuthService = .shared, friendsService: FriendsService = .shared,
    profileService: ProfileService = .shared,
    friendsRealtimeService: FriendsRealtimeService = .shared,
    persistenceService: PersistenceService = .shared
  ) {
    self.authService = authService
    self.friendsService = friendsService
    self.profileService = profileService
    self.friendsRealtimeService = friendsRealtimeService
    self.persistenceService = persistenceService
  }

  /// Shows what was last seen, for the first frame; does nothing once a fetch has answered.
  public func restoreFromCache() async {}

  // MARK: - Search

  public func filteredFriends(query: String) -> [CommunityProfile] {
    friends.filter { $0.matches(query) }
  }

  // MARK: - Refresh

  public func refreshAll(
    mode: CommunityRefreshMode, query: String = "", searchScope: CommunitySearchScope = .friends
  ) async {}

  public func runPeopleSearchIfNeeded(query: String, searchScope: CommunitySearchScope) async {}

  // MARK: - Friendship

  /// Whether something of this person is on its way to the server.
  public func isSettling(_ userID: UUID) -> Bool {
    settlingProfileIDs.contains(userID) || unfriendingProfileIDs.contains(userID)
  }

  public func requestFriend(_ userID: UUID) async {}

  /// Asks a person by username; the sentence of the answer goes on the field.
  public func requestFriend(username: String) async -> FieldProblem? { nil }

  public func respondToFriendRequest(
    _ userID: UUID, action: FriendRequestResponseAction
  ) async {}

  public func unfriend(_ profile: CommunityProfile) async {}

  public func block(_ profile: CommunityProfile) async {}

  public func unblock(_ profile: CommunityProfile) async {}

  // MARK: - Friendship Realtime

  public func startFriendshipsRealtimeListener() {}

  public func stopFriendshipsRealtimeListener() {}

  /// Asks for the lists at an interval while realtime is off; nil stops asking.
  public func setPollInterval(_ interval: Duration?) {}
}

/// What the lists of the community are doing.
public enum CommunityLoadState: Hashable, Sendable {
  /// Nothing has been fetched yet.
  case loading
  case loaded
  /// Fetching again; what is shown stays.
  case refreshing
  /// The last fetch failed; what is shown stays.
  case failed(CommunityViewError)
}

/// Why the lists are fetched.
public enum CommunityRefreshMode: Hashable, Sendable {
  /// First entry: the lists may be empty.
  case initial
  /// The person asked, or the app came back.
  case refresh
}

/// Whom a search text looks for.
public enum CommunitySearchScope: Hashable, Sendable, CaseIterable {
  case all, friends, people
}

/// How the search for people stands.
public enum PeopleSearchState: Hashable, Sendable {
  case idle, searching, found
  case failed(String)
}

/// A failure in words for a person, with details for a report.
public struct CommunityViewError: Error, Hashable, Sendable, Identifiable {
  public let id: UUID
  public var title: String
  /// One sentence that says what failed and what to do.
  public var description: String
  /// What `y` copies; without names or tokens.
  public var technicalDetails: String

  public init(title: String, description: String, technicalDetails: String) {
    id = UUID()
    self.title = title
    self.description = description
    self.technicalDetails = technicalDetails
  }
}

extension SocialStore {
  /// A store on no server: every fetch fails with `.notConfigured`, no listener starts.
  public static func inert() -> SocialStore {
    let client = SupabaseClient()
    return SocialStore(
      authService: AuthService(client: client), friendsService: FriendsService(client: client),
      profileService: ProfileService(client: client),
      friendsRealtimeService: FriendsRealtimeService(client: client),
      persistenceService: PersistenceService())
  }
}

private struct SocialStoreKey: EnvironmentKey {
  @MainActor static let defaultValue = SocialStore.inert()
}

extension EnvironmentValues {
  public var socialStore: SocialStore {
    get { self[SocialStoreKey.self] }
    set { self[SocialStoreKey.self] = newValue }
  }
}
