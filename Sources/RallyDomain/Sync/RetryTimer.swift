import RallySystem

/// Repeats something after failures, with pauses that double while failures keep coming.
@MainActor
final class RetryTimer {
  private let timing: StoreTiming
  private let run: () -> Void
  private var task: Task<Void, Never>?
  /// The last pause and its end.
  private var last: (pause: Duration, end: ContinuousClock.Instant)?

  init(_ timing: StoreTiming, run: @escaping () -> Void) {
    self.timing = timing
    self.run = run
  }

  deinit { task?.cancel() }

  /// Does nothing while a repetition is to come.
  func schedule() {
    guard task == nil else { return }
    var pause = timing.retryPause
    if let last, last.end.duration(to: .now) < timing.longestRetryPause {
      pause = min(last.pause * 2, timing.longestRetryPause)
    }
    task = Task { [weak self] in
      guard (try? await DispatchSleep.for(pause)) != nil, let self else { return }
      task = nil
      last = (pause, .now)
      run()
    }
  }
}
