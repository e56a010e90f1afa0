import Foundation

/// What the lists of the community are doing.
public enum CommunityLoadState: Hashable, Sendable {
  /// Nothing has been fetched yet.
  case loading
  case loaded
  /// Being fetched; what is shown stays, and is from the cache while `asOf` is old.
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
  /// One sentence that says what failed and what to do.
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

  /// What a person reads of a failure in one of a store's functions.
  init(title: String, description: String, source: String, error: any Error) {
    self.init(
      title: title, description: description,
      technicalDetails: "Source: \(source)\nError: \(error.logLabel)")
  }
}

extension SocialStore {
  /// The pauses of the store; tests make them short.
  public struct Timing: Sendable {
    /// A search waits this long for the next letter.
    public var searchPause: Duration = .milliseconds(150)
    /// From an event to the fetch that answers it.
    public var refreshPause: Duration = .milliseconds(40)
    /// Between two fetches in a storm of events.
    public var longestRefreshPause: Duration = .milliseconds(640)
    /// Unchanged lists are written down again after this long, for their time alone.
    public var savePause: Duration = .seconds(60)

    public init() {}
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
