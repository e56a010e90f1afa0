import RallySystem

/// Calls a function at an interval.
@MainActor
final class Poller {
  private var interval: Duration?
  private var task: Task<Void, Never>?

  deinit { task?.cancel() }

  /// Setting the same interval again changes nothing; nil ends the polling.
  func set(_ interval: Duration?, poll: @escaping () async -> Void) {
    guard interval != self.interval else { return }
    self.interval = interval
    task?.cancel()
    task = interval.map { interval in
      Task { while (try? await DispatchSleep.for(interval)) != nil { await poll() } }
    }
  }
}
