import Logging
import RallyClient
import RallySystem

/// A store that presents its failures in one way.
@MainActor
protocol FailurePresenting: AnyObject, Sendable {
  var presentedError: CommunityViewError? { get set }
  var log: Logger { get }
}

/// Whether the caller reports failures itself, as a bulk action does.
enum QuietFailures {
  @TaskLocal static var isOn = false
}

extension FailurePresenting {
  /// Logs a failure and presents it, unless it is an expected one.
  ///
  /// - Parameters:
  ///   - description: What the user reads; nil for the error's own sentence.
  ///   - source: The intent that failed, for a report.
  ///   - isPresented: Whether a user waits for it; otherwise it is only logged.
  @discardableResult
  func presentFailure(
    _ error: any Error, title: String, description: String? = nil, source: String,
    isPresented: Bool = true
  ) -> CommunityViewError {
    let viewError = CommunityViewError(
      title: title, description: description ?? error.sentence, source: source, error: error)
    if error.isExpectedError() { return viewError }
    log.error("\(source) — failed: \(error.logLabel)")
    if isPresented, !QuietFailures.isOn { presentedError = viewError }
    return viewError
  }
}

/// A store of a list that single calls fetch and change, and that nothing keeps current.
@MainActor
protocol CallLoading: FailurePresenting {
  var loadState: CommunityLoadState { get set }
  var failureTitle: String { get }
}

extension CallLoading {
  /// Runs a fetch; `loadState` says what became of it.
  ///
  /// - Parameter source: The intent, for the log and for reports.
  func load<Value: Sendable>(
    _ source: String, _ work: @escaping @Sendable () async throws -> Value
  ) async -> IntentOutcome<Value> {
    await run(source, isFetch: true, work)
  }

  /// Runs a change: what the list shows stays when it fails, and the failure is presented.
  ///
  /// - Parameter source: The intent, for the log and for reports.
  func change<Value: Sendable>(
    _ source: String, _ work: @escaping @Sendable () async throws -> Value
  ) async -> IntentOutcome<Value> {
    await run(source, isFetch: false, work)
  }

  private func run<Value: Sendable>(
    _ source: String, isFetch: Bool, _ work: @escaping @Sendable () async throws -> Value
  ) async -> IntentOutcome<Value> {
    let before = loadState
    if loadState != .loading { loadState = .refreshing }
    if presentedError != nil { presentedError = nil }
    do {
      let value = try await work()
      loadState = isFetch || before.failure == nil ? .loaded : before
      return .done(value)
    } catch {
      let viewError = presentFailure(
        error, title: failureTitle, source: source, isPresented: !isFetch)
      if isFetch, !error.isExpectedError() {
        loadState = .failed(viewError)
      } else {
        loadState = before.isBusy ? .loaded : before
      }
      return .refused(viewError)
    }
  }

  /// Why the last fetch or change failed, as one sentence; nil if it did not.
  var failureSentence: String? { (presentedError ?? loadState.failure)?.description }
}

/// A list whose changes wait for a fetch on its way, whose answer would be older than theirs.
@MainActor
protocol OrderedCalls: CallLoading {
  var fetching: Task<Void, Never>? { get set }
  /// Whether a change is on its way.
  var isChanging: Bool { get set }
}

extension OrderedCalls {
  /// Runs a fetch that changes wait for, also when its caller has gone.
  func inFront(_ fetch: @escaping @MainActor () async -> Void) async {
    let task = Task { await fetch() }
    fetching = task
    await task.value
  }

  /// Runs a change once the fetch has ended; `.notStarted` beside another change.
  func inTurn<Value>(
    _ intent: @MainActor () async -> IntentOutcome<Value>
  ) async -> IntentOutcome<Value> {
    guard !isChanging else { return .notStarted }
    isChanging = true
    defer { isChanging = false }
    await fetching?.value
    return await intent()
  }
}
