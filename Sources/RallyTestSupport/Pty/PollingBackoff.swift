import Foundation

/// Polling with back-off, for tests.
///
/// The limit only ends tests that are broken. It is generous because on a slow machine all tests
/// share one main actor.
public struct PollingBackoff {
  /// `RALLY_TEST_PATIENCE` overrides it, in seconds.
  public static let limit = Duration.seconds(
    ProcessInfo.processInfo.environment["RALLY_TEST_PATIENCE"].flatMap(Int.init) ?? 300)

  private let deadline: ContinuousClock.Instant
  private var next = Duration.milliseconds(1)

  public init(_ limit: Duration = PollingBackoff.limit) { deadline = .now + limit }

  /// Waits before the next check; returns false after the limit or if the task was cancelled.
  public mutating func pause() async -> Bool {
    guard ContinuousClock.now < deadline else { return false }
    next = min(next * 2, .milliseconds(32))
    return (try? await Task.sleep(for: next)) != nil
  }
}
