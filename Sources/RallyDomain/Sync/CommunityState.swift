import FoundationEssentials
import RallyClient
import RallySystem

/// The load state of a store's data.
public enum CommunityLoadState: Hashable, Sendable {
  /// Nothing has been fetched yet.
  case loading
  case loaded
  /// A fetch is running; the content stays, and is from the cache while `asOf` is old.
  case refreshing
  /// The last fetch failed; the content stays.
  case failed(CommunityViewError)

  /// Whether something is being fetched or changed.
  public var isBusy: Bool { self == .loading || self == .refreshing }

  /// Why the last fetch or change failed; nil if it did not.
  public var failure: CommunityViewError? {
    if case .failed(let error) = self { error } else { nil }
  }
}

/// Why the lists are fetched.
public enum CommunityRefreshMode: Hashable, Sendable {
  /// First entry: the lists may be empty.
  case initial
  /// The user asked for it, or the program is in the foreground again.
  case refresh
}

/// The people that a search covers.
public enum CommunitySearchScope: Hashable, Sendable, CaseIterable {
  case friends, people
  /// Friends, and everybody else whom the server finds.
  case all
}

/// The status of the people search.
public enum PeopleSearchState: Hashable, Sendable {
  case idle, searching, found
  /// One sentence that says what failed and what to do.
  case failed(String)
}

/// An error to show to the user, with details for a report.
public struct CommunityViewError: ReportableError, Hashable, Sendable, Identifiable {
  public let id: UUID
  public var title: String
  /// One sentence that says what failed and what to do.
  public var description: String
  /// What `y` copies; without names or tokens.
  public var technicalDetails: String
  /// Whether the server was not reached, which is no longer so once it is.
  public let isOffline: Bool

  public var sentence: String { "\(title). \(description)" }

  public init(
    title: String, description: String, technicalDetails: String, isOffline: Bool = false
  ) {
    id = UUID()
    self.title = title
    self.description = description
    self.technicalDetails = technicalDetails
    self.isOffline = isOffline
  }

  /// The error of one of a store's functions.
  init(title: String, description: String, source: String, error: any Error) {
    self.init(
      title: title, description: description,
      technicalDetails: "Source: \(source)\nError: \(error.logLabel)",
      isOffline: (error as? NetworkError)?.isOffline == true)
  }
}
