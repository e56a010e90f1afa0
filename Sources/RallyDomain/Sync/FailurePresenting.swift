import Logging

/// A store that says its failures in one way.
@MainActor
protocol FailurePresenting: AnyObject {
  var loadState: CommunityLoadState { get set }
  var presentedError: CommunityViewError? { get set }
  var log: Logger { get }
}

extension FailurePresenting {
  /// Logs a failure and says it to the person, unless nobody needs to hear of it.
  ///
  /// - Parameters:
  ///   - description: What to read; nil for the error's own sentence.
  ///   - source: The intent that failed, for a report.
  ///   - updateLoadState: What is shown could not be fetched.
  ///   - isPresented: A person waits for it; otherwise only the load state says it.
  func presentFailure(
    _ error: any Error, title: String, description: String? = nil, source: String,
    updateLoadState: Bool = true, isPresented: Bool = true
  ) {
    if error.isExpectedError() { return }
    log.error("\(source) — failed: \(error.logLabel)")
    let viewError = CommunityViewError(
      title: title, description: description ?? error.sentence, source: source, error: error)
    if updateLoadState { loadState = .failed(viewError) }
    if isPresented { presentedError = viewError }
  }
}
