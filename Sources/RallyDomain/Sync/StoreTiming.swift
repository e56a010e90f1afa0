import RallySystem

/// The delays of stores; tests make them short.
public struct StoreTiming: Sendable {
  /// A people search waits this long for the next letter.
  public var searchPause: Duration = .milliseconds(150)
  /// From an event to the fetch that it causes.
  public var refreshPause: Duration = .milliseconds(40)
  /// The longest delay between two fetches while events keep coming.
  public var longestRefreshPause: Duration = .milliseconds(640)
  /// From a failure while changes arrive to the next fetch; twice as long after each failure.
  public var retryPause: Duration = .seconds(2)
  public var longestRetryPause: Duration = .seconds(15)
  /// An unchanged snapshot is saved again after this long, for its time alone.
  public var savePause: Duration = .seconds(60)

  public init() {}
}

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

/// Debounces hints into few fetches: one soon after the first hint, one more if others came
/// meanwhile, with growing delays while they keep coming.
@MainActor
final class RefreshCoalescer {
  private let timing: StoreTiming
  private let refresh: () async -> Void
  private var task: Task<Void, Never>?
  /// Whether a hint waits for its fetch.
  private(set) var isWanted = false

  init(_ timing: StoreTiming, refresh: @escaping () async -> Void) {
    self.timing = timing
    self.refresh = refresh
  }

  deinit { task?.cancel() }

  func schedule() {
    isWanted = true
    guard task == nil else { return }
    task = Task { [weak self, timing] in
      var pause = timing.refreshPause
      while self?.isWanted == true, !Task.isCancelled {
        try? await DispatchSleep.for(pause)
        self?.isWanted = false
        await self?.refresh()
        pause = min(pause * 2, timing.longestRefreshPause)
      }
      self?.task = nil
    }
  }
}

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
