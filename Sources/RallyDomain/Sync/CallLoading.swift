import Logging
import RallyClient
import RallySystem

/// A store of a list that single calls fetch and change, and that nothing keeps current.
@MainActor
protocol CallLoading: AnyObject {
  var loadState: CommunityLoadState { get set }
  var log: Logger { get }
  /// The title of a failure.
  var failureTitle: String { get }
}

extension CallLoading {
  /// Runs a call; `loadState` says what became of it.
  ///
  /// - Parameter source: The intent, for the log and for reports.
  func change<Value: Sendable>(
    _ source: String, _ work: @escaping @Sendable () async throws -> Value
  ) async -> IntentOutcome<Value> {
    if loadState != .loading { loadState = .refreshing }
    do {
      let value = try await work()
      loadState = .loaded
      return .done(value)
    } catch {
      let viewError = failure(error, source: source)
      loadState = error.isExpectedError() ? .loaded : .failed(viewError)
      return .refused(viewError)
    }
  }

  /// Logs an error and explains it.
  func failure(_ error: any Error, source: String) -> CommunityViewError {
    log.error("\(source) — failed: \(error.logLabel)")
    return CommunityViewError(
      title: failureTitle, description: error.sentence, source: source, error: error)
  }
}
