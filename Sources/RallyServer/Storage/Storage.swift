/// The one seam between rules and a database.
///
/// A write is durable when it returns, and a read sees everything that was. Both work on threads
/// of the engine's own, never on the cooperative pool, and neither is cancelled half-way.
final class Storage: Sendable {
  /// Pure work within a transaction; may run again when others were in its way.
  typealias Work<T> = @Sendable (Database) throws -> T

  private let engine: any StorageEngine

  init(_ engine: any StorageEngine) { self.engine = engine }

  /// SQLite.
  ///
  /// - Parameter path: The database file; nil keeps everything in memory.
  convenience init(path: String?) throws { self.init(try SQLiteEngine(path: path)) }

  /// Calls `body` after every commit, from a thread of the engine.
  func onCommit(_ body: @escaping @Sendable () -> Void) { engine.onCommit(body) }

  /// Calls `body` when there may be something in the feed that was not committed here.
  func onNews(_ body: @escaping @Sendable () -> Void) { engine.onNews(body) }

  /// Tells the engine that another process has written into its database.
  func othersWrote() { engine.othersWrote() }

  /// How many writes wait for their turn.
  var waitingWrites: Int { engine.waitingWrites }

  /// A consistent snapshot of everything committed.
  ///
  /// - Parameter limit: On SQLite processor time of the whole read, on PostgreSQL time of each
  ///   statement; nil is any.
  /// - Throws: `StorageFailure.Kind.interrupted` when that was not enough.
  func read<T: Sendable>(
    within limit: Duration? = nil, _ work: @escaping Work<T>
  ) async throws -> T {
    try await engine.read(within: limit, work)
  }

  /// Runs `work` as if nobody else wrote meanwhile, and returns once it is durable.
  func write<T: Sendable>(_ work: @escaping Work<T>) async throws -> T {
    try await engine.write(work)
  }

  func close() throws { try engine.close() }
}
