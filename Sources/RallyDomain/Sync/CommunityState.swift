import FoundationEssentials
import RallyClient
import RallySystem
import RallyWire

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

/// What became of an intent, so that a view can say it without reading it out of a store's state.
public enum IntentOutcome<Value> {
  /// The server agreed; what holds now.
  case done(Value)
  /// It failed. The store has presented the error already, unless it was asked not to.
  case refused(CommunityViewError)
  /// What was typed cannot be used, and nothing was sent. Only the caller shows this.
  case invalid(FieldProblem)
  /// Nothing was sent: an earlier intent about the same subject is still on its way, or there was
  /// nothing to do.
  case notStarted

  /// What holds now; nil unless it was done.
  public var value: Value? { if case .done(let value) = self { value } else { nil } }

  public var isDone: Bool { value != nil }

  /// What was wrong with the input; nil if the input was fine.
  public var problem: FieldProblem? {
    if case .invalid(let problem) = self { problem } else { nil }
  }

  /// One sentence that says why it was not done; nil if it was.
  public var failureSentence: String? {
    switch self {
    case .done: nil
    case .refused(let error): error.description
    case .invalid(let problem): problem.advice
    case .notStarted: "Something else is on its way to the server."
    }
  }

  /// The same outcome with another value.
  func map<Other>(_ convert: (Value) -> Other) -> IntentOutcome<Other> {
    switch self {
    case .done(let value): .done(convert(value))
    case .refused(let error): .refused(error)
    case .invalid(let problem): .invalid(problem)
    case .notStarted: .notStarted
    }
  }
}

extension IntentOutcome: Sendable where Value: Sendable {}
extension IntentOutcome: Equatable where Value: Equatable {}

/// The outcome of the same intent for each of several subjects.
public struct BulkOutcome<Subject: Sendable>: Sendable {
  /// Those for which it was done, in order.
  public private(set) var done: [Subject] = []
  /// Those for which it was not, in order, each with a sentence that says why.
  public private(set) var failures: [(subject: Subject, sentence: String)] = []

  /// Carries out an intent for one subject after the other; a failure is not presented, and does
  /// not hold up the rest.
  @MainActor
  init<Value>(
    _ subjects: [Subject], intent: @MainActor (Subject) async -> IntentOutcome<Value>
  ) async {
    for subject in subjects {
      let outcome = await QuietFailures.$isOn.withValue(true) { await intent(subject) }
      if let sentence = outcome.failureSentence {
        failures.append((subject, sentence))
      } else {
        done.append(subject)
      }
    }
  }
}
