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
