import Dispatch
import Synchronization

/// Async sleep with a dispatch timer on a serial queue.
///
/// The client uses neither `Task.sleep` nor any global dispatch queue, on which `Task.sleep` is
/// built: on Linux, the first work item there starts dispatch's monitoring of its worker threads,
/// which wakes the process every second from then on. An idle client should use no CPU.
public enum DispatchSleep {
  fileprivate static let queue = DispatchQueue(label: "rally.pause")

  /// Sleeps for at least this long, not counting time while the machine is suspended.
  ///
  /// - Parameter tolerance: How much later it may end, so that the system can coalesce wake-ups.
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

  /// Sleeps until the deadline; returns at once if it has passed.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public static func until(_ deadline: ContinuousClock.Instant) async throws {
    try await DispatchSleep.for(deadline - .now)
  }
}

/// One sleep. The continuation is resumed exactly once, by the timer or by cancellation, whichever
/// is first.
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
      let timer = DispatchSource.makeTimerSource(queue: DispatchSleep.queue)
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
      // The event handler retains this object; cancelling the source releases it.
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
  /// Nanoseconds, as dispatch expects; clamped to `Int.max` (292 years).
  fileprivate var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongYet) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return isTooLong || isTooLongYet ? .max : sum
  }
}
