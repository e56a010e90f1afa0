/// Does something at an interval until it is told otherwise.
@MainActor
final class Poller {
  private var interval: Duration?
  private var task: Task<Void, Never>?

  deinit { task?.cancel() }

  /// The same interval again lets a running poll go on; nil ends it.
  func set(_ interval: Duration?, poll: @escaping () async -> Void) {
    guard interval != self.interval else { return }
    self.interval = interval
    task?.cancel()
    task = interval.map { interval in
      Task { while (try? await DispatchSleep.for(interval)) != nil { await poll() } }
    }
  }
}
