import Dispatch
import Synchronization

/// Waiting, as a dispatch timer on a serial queue.
///
/// `Task.sleep` is not used in the client, nor is any global queue, on which it stands: on Linux
/// the first work there starts dispatch's watch over the queue's threads, which wakes the process
/// every second for ever, and a quiet client should cost nothing.
public enum Pause {
  fileprivate static let queue = DispatchQueue(label: "rally.pause")

  /// Waits at least this long, of the time that the machine is awake.
  ///
  /// - Parameter tolerance: How much later it may end, so that the system can join wake-ups.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public static func `for`(
    _ duration: Duration, tolerance: Duration = .milliseconds(1)
  ) async throws {
    let wait = Wait()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait.begin($0, duration, tolerance) }
    } onCancel: {
      wait.end(cancelled: true)
    }
  }

  /// Waits until then; not at all when it is past.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public static func until(_ deadline: ContinuousClock.Instant) async throws {
    try await Pause.for(deadline - .now)
  }
}

/// One wait: its end comes once, from the timer or from the cancellation, whichever is first.
private final class Wait: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, any Error>, any DispatchSourceTimer)
    case over
  }

  private let state = Mutex(State.new)

  func begin(
    _ continuation: CheckedContinuation<Void, any Error>, _ duration: Duration,
    _ tolerance: Duration
  ) {
    let isCancelled = state.withLock { state in
      guard case .new = state else { return true }
      let timer = DispatchSource.makeTimerSource(queue: Pause.queue)
      timer.schedule(
        deadline: .now() + .nanoseconds(max(.zero, duration).wholeNanoseconds),
        leeway: .nanoseconds(tolerance.wholeNanoseconds))
      timer.setEventHandler { self.end(cancelled: false) }
      state = .waiting(continuation, timer)
      timer.resume()
      return false
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
  }

  func end(cancelled: Bool) {
    let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
      defer { state = .over }
      guard case .waiting(let continuation, let timer) = state else { return nil }
      // The handler holds this object; a cancelled source lets go of it.
      timer.cancel()
      return continuation
    }
    if cancelled {
      continuation?.resume(throwing: CancellationError())
    } else {
      continuation?.resume()
    }
  }
}

extension Duration {
  /// For dispatch, which counts so; the longest is 292 years.
  fileprivate var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongYet) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return isTooLong || isTooLongYet ? .max : sum
  }
}
