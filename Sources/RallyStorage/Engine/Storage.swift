/// The interface between the rules and a database.
///
/// A write is durable when it returns, and a read sees all earlier writes. Both run on threads of
/// the engine, not on the cooperative pool, and are not cancelled.
package final class Storage: Sendable {
  /// Work within a transaction, without side effects: it may be retried after a conflict.
  package typealias Work<T> = @Sendable (Database) throws -> T

  private let engine: any StorageEngine

  package init(_ engine: any StorageEngine) { self.engine = engine }

  /// SQLite.
  ///
  /// - Parameter path: The database file; nil keeps everything in memory.
  package convenience init(path: String?) throws { self.init(try SQLiteEngine(path: path)) }

  /// A PostgreSQL database of the present version, for one operator's command.
  ///
  /// - Throws: `StorageFailure`.
  package convenience init(command address: PostgresAddress) async throws {
    self.init(try await PostgresEngine(address, connections: 1, migrates: false))
  }

  /// Calls `body` after every commit, from a thread of the engine.
  package func onCommit(_ body: @escaping @Sendable () -> Void) { engine.onCommit(body) }

  /// Calls `body` when the feed may have entries of other processes.
  package func onChange(_ body: @escaping @Sendable () -> Void) { engine.onChange(body) }

  /// Notifies the engine that another process has written to its database.
  package func othersWrote() { engine.othersWrote() }

  package var waitingWrites: Int { engine.waitingWrites }

  /// A consistent snapshot of everything committed.
  ///
  /// - Parameter limit: On SQLite CPU time of the whole read, on PostgreSQL the duration of each
  ///   statement; nil for no limit.
  /// - Throws: `StorageFailure.Kind.interrupted` if the limit is exceeded.
  package func read<T: Sendable>(
    within limit: Duration? = nil, _ work: @escaping Work<T>
  ) async throws -> T {
    try await engine.read(within: limit, work)
  }

  /// Runs `work` in a serializable transaction, and returns once it is durable.
  package func write<T: Sendable>(_ work: @escaping Work<T>) async throws -> T {
    try await engine.write(work)
  }

  /// Runs `work` where each statement is whole by itself: counts that nobody waits for and that the
  /// feed does not tell. Not serializable.
  package func count<T: Sendable>(_ work: @escaping Work<T>) async throws -> T {
    try await engine.count(work)
  }

  package func close() throws { try engine.close() }
}
