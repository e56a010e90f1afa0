import Logging
import RallyClient
import RallySystem

/// A store of a list that single calls fetch and change, and that nothing keeps current.
@MainActor
protocol CallLoading: FailurePresenting {
  var loadState: CommunityLoadState { get set }
  /// The title of a failure.
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
