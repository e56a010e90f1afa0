import Synchronization

/// Calls a function once a deadline is over.
///
/// A deadline that moves on starts no new timer: the running one looks at the deadline when it ends.
/// So a deadline that every report moves on by 10 s wakes the process once in 10 s.
package final class Watchdog: Sendable {
  private struct State {
    var deadline: ContinuousClock.Instant?
    var timer: Task<Void, Never>?
    /// When the running timer ends at the latest; nil if none runs.
    package var end: ContinuousClock.Instant?
    package var starts = 0
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
