import Synchronization

/// An outage of the database, as the jobs of all connections know it.
///
/// In its first seconds jobs are retried, which bridges a restart. In a longer one, one job at a
/// time finds out whether the database is back, and the others fail at once: waits of the jobs of a
/// request, and of jobs in a queue, would add up to more than a client waits.
final class PostgresOutage: Sendable {
  private struct State {
    var start: ContinuousClock.Instant?
    var failure: (any Error)?
    var isProbed = false
  }

  private let state = Mutex(State())
  /// How long jobs are retried.
  private let bridged: Duration

  init(bridged: Duration = .seconds(4)) { self.bridged = bridged }

  /// Begins an attempt, whose result has to be told.
  ///
  /// - Throws: The failure of the last attempt, if this one is not to be made.
  func begin() throws {
    try state.withLock { state in
      guard !isBridged(state) else { return }
      if state.isProbed, let failure = state.failure { throw failure }
      state.isProbed = true
    }
  }

  /// An attempt reached the database.
  func end() { state.withLock { $0 = State() } }

  /// An attempt did not reach the database.
  ///
  /// - Returns: Whether jobs are still retried.
  func goesOn(_ failure: any Error) -> Bool {
    state.withLock { state in
      state.start = state.start ?? .now
      state.failure = failure
      state.isProbed = false
      return isBridged(state)
    }
  }

  private func isBridged(_ state: State) -> Bool {
    guard let start = state.start else { return true }
    return start.duration(to: .now) < bridged
  }
}
