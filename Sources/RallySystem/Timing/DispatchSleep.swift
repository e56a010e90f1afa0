import Dispatch
import Synchronization

/// Async sleep with a timer of the event loop that runs the tasks, or else with a dispatch timer on
/// a serial queue.
///
/// The client uses neither `Task.sleep` nor any global dispatch queue, on which `Task.sleep` is
/// built. On Linux, the first work item there starts dispatch's monitoring of its worker threads.
/// That wakes the process every second from then on. An idle client should use no CPU. A timer of
/// the event loop wakes only that thread, a dispatch timer also the one that waits for all timers
/// and a worker.
public enum DispatchSleep {
  fileprivate static let queue = DispatchQueue(label: "rally.pause")
  /// Sleeps with at least this tolerance end together with others.
  private static let coalescingTolerance = Duration.seconds(1)

  /// Sleeps for at least this long, not counting time while the machine is suspended.
  ///
  /// - Parameter tolerance: How much later it may end. With a second or more it ends when any other
  ///   sleep of this process does within that time, and at its end otherwise, so that one wake-up
  ///   serves both.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public static func `for`(
    _ duration: Duration, tolerance: Duration = .milliseconds(1)
  ) async throws {
    let wait = Wait()
    let isCoalesced = tolerance >= coalescingTolerance
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if isCoalesced {
          wait.begin(continuation, duration + tolerance, earliest: .now + duration)
        } else {
          wait.begin(continuation, duration, tolerance: tolerance)
        }
      }
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

/// The sleeps that may end with another one's wake-up, and from when on.
private enum CoalescedWaits {
  private static let waits = Mutex<[ObjectIdentifier: (Wait, earliest: SuspendingClock.Instant)]>(
    [:])

  static func add(_ wait: Wait, earliest: SuspendingClock.Instant) {
    waits.withLock { $0[ObjectIdentifier(wait)] = (wait, earliest) }
  }

  static func remove(_ wait: Wait) {
    waits.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(wait)) }
  }

  /// Ends those that may end now, since the process is awake.
  static func wokeUp() {
    let now = SuspendingClock.now
    let due = waits.withLock { $0.values.filter { $0.earliest <= now } }
    for (wait, _) in due { wait.end(cancelled: false) }
  }
}

/// One sleep. The continuation is resumed exactly once, by the timer or by cancellation, whichever
/// is first.
private final class Wait: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Void, any Error>, WaitTimer)
    case over
  }

  private let state = Mutex(State.new)

  /// - Parameter earliest: From when on it may end with another sleep; nil for not at all.
  func begin(
    _ continuation: CheckedContinuation<Void, any Error>, _ duration: Duration,
    tolerance: Duration = .zero, earliest: SuspendingClock.Instant? = nil
  ) {
    let isCancelled = state.withLock { state in
      guard case .new = state else { return true }
      let timer = WaitTimer.make(after: duration, tolerance: tolerance) {
        self.end(cancelled: false)
        CoalescedWaits.wokeUp()
      }
      state = .waiting(continuation, timer)
      if let earliest { CoalescedWaits.add(self, earliest: earliest) }
      timer.start()
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
    CoalescedWaits.remove(self)
    if cancelled {
      continuation?.resume(throwing: CancellationError())
    } else {
      continuation?.resume()
    }
  }
}

/// The timer of one sleep.
private enum WaitTimer {
  case dispatch(any DispatchSourceTimer)
  case eventLoop(EventLoopTimer, EventLoopTimer.Entry)

  /// - Parameter tolerance: How much later a dispatch timer may fire.
  static func make(
    after duration: Duration, tolerance: Duration, _ fire: @escaping @Sendable () -> Void
  ) -> WaitTimer {
    let nanoseconds = max(.zero, duration).wholeNanoseconds
    if EventLoopExecutor.isInstalled, let timer = EventLoopTimer.shared {
      return .eventLoop(timer, timer.add(at: .now + .nanoseconds(nanoseconds), fire))
    }
    let timer = DispatchSource.makeTimerSource(queue: DispatchSleep.queue)
    timer.schedule(
      deadline: .now() + .nanoseconds(nanoseconds),
      leeway: .nanoseconds(tolerance.wholeNanoseconds))
    timer.setEventHandler(handler: fire)
    return .dispatch(timer)
  }

  /// Starts a dispatch timer; one of the event loop runs already.
  func start() {
    if case .dispatch(let timer) = self { timer.resume() }
  }

  func cancel() {
    switch self {
    case .dispatch(let timer): timer.cancel()
    case .eventLoop(let timer, let entry): timer.remove(entry)
    }
  }
}

extension Duration {
  /// Nanoseconds, as timers expect; clamped to `Int.max` (292 years).
  var wholeNanoseconds: Int {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = Int(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongYet) = whole.addingReportingOverflow(Int(attoseconds / 1_000_000_000))
    return isTooLong || isTooLongYet ? .max : sum
  }
}

/// Calls a function once a deadline is over.
///
/// A deadline that moves on starts no new timer: the running one looks at the deadline when it ends.
/// So a deadline that every report moves on by 10 s wakes the process once in 10 s.
package final class Watchdog: Sendable {
  private struct State {
    var deadline: ContinuousClock.Instant?
    var timer: Task<Void, Never>?
    /// When the running timer ends at the latest; nil if none runs.
    var end: ContinuousClock.Instant?
    var starts = 0
  }

  private let state = Mutex(State())
  private let act: @Sendable () -> Void

  /// - Parameter act: Called on any thread.
  package init(_ act: @escaping @Sendable () -> Void) { self.act = act }

  deinit { cancel() }

  /// Whether there is a deadline. It ends before the function is called.
  package var isSet: Bool { state.withLock { $0.deadline != nil } }

  /// How many timers were started.
  var starts: Int { state.withLock { $0.starts } }

  /// Sets the deadline, in place of an earlier one.
  ///
  /// - Parameter tolerance: How much later the function may be called, as in `DispatchSleep`. One
  ///   with a tolerance replaces the running timer, which would wake the process for nothing.
  package func set(after duration: Duration, tolerance: Duration = .zero) {
    let deadline = ContinuousClock.now + duration
    state.withLock { state in
      state.deadline = deadline
      if let end = state.end, end <= deadline, tolerance == .zero { return }
      start(until: deadline, tolerance: tolerance, &state)
    }
  }

  package func cancel() {
    state.withLock { state in
      state.deadline = nil
      state.end = nil
      state.timer?.cancel()
      state.timer = nil
    }
  }

  private func start(
    until deadline: ContinuousClock.Instant, tolerance: Duration = .zero, _ state: inout State
  ) {
    state.starts += 1
    let number = state.starts
    state.end = deadline + tolerance
    state.timer?.cancel()
    state.timer = Task { [weak self] in
      guard
        (try? await DispatchSleep.for(
          deadline - .now, tolerance: max(tolerance, .milliseconds(1)))) != nil
      else { return }
      self?.ended(number)
    }
  }

  private func ended(_ number: Int) {
    let isOver = state.withLock { state in
      // Cancelled, or replaced by one that ends earlier.
      guard number == state.starts, state.end != nil else { return false }
      state.end = nil
      state.timer = nil
      guard let deadline = state.deadline else { return false }
      if deadline > .now {
        start(until: deadline, &state)
        return false
      }
      state.deadline = nil
      return true
    }
    if isOver { act() }
  }
}
