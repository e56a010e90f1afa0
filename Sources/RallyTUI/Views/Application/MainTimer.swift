import Dispatch

/// Work on the main actor at a later time, once, unless it is cancelled.
///
/// A dispatch timer and not `Task.sleep`: after the first sleep of a process the concurrency
/// library on Linux wakes up every second for ever, and a quiet screen should cost nothing.
@MainActor final class MainTimer {
  private var item: DispatchWorkItem?

  /// Replaces what was to come.
  func schedule(after delay: Duration, _ work: @escaping @MainActor @Sendable () -> Void) {
    cancel()
    let item = DispatchWorkItem { MainActor.assumeIsolated(work) }
    self.item = item
    DispatchQueue.main.asyncAfter(
      deadline: .now() + max(.zero, delay).timeInterval, execute: item)
  }

  func cancel() {
    item?.cancel()
    item = nil
  }
}

extension MainTimer {
  /// Waits; returns early, with `Task.isCancelled` true, when the task is cancelled.
  static func wait(until deadline: ContinuousClock.Instant) async {
    let waiting = Waiting()
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting.begin($0, deadline - .now) }
    } onCancel: {
      Task { @MainActor in waiting.end() }
    }
  }

  @MainActor private final class Waiting {
    private let timer = MainTimer()
    private var continuation: CheckedContinuation<Void, Never>?
    private var isOver = false

    func begin(_ continuation: CheckedContinuation<Void, Never>, _ delay: Duration) {
      if isOver { return continuation.resume() }
      self.continuation = continuation
      timer.schedule(after: delay) { self.end() }
    }

    func end() {
      isOver = true
      timer.cancel()
      continuation?.resume()
      continuation = nil
    }
  }
}
