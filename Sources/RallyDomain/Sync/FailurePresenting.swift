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
