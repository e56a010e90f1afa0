import Synchronization

/// An outage of the database, as the jobs of all connections know it.
///
/// In its first seconds jobs are retried, which bridges a restart. In a longer one each fails at its
/// first attempt: the waits of the jobs of a request, and of jobs in a queue, would add up to more
/// than a client waits.
final class PostgresOutage: Sendable {
  /// How long jobs are retried.
  private static let bridged = Duration.seconds(4)

  private let start = Mutex<ContinuousClock.Instant?>(nil)

  /// An attempt reached the database.
  func end() { start.withLock { $0 = nil } }

  /// An attempt did not reach the database.
  ///
  /// - Returns: Whether jobs are still retried.
  func isBridged() -> Bool {
    start.withLock { start in
      let beginning = start ?? .now
      start = beginning
      return beginning.duration(to: .now) < PostgresOutage.bridged
    }
  }
}
