import Dispatch
import Synchronization

/// The interface between the rules and a database.
///
/// A write is durable when it returns, and a read sees all earlier writes. Both run on threads of
/// the engine, not on the cooperative pool, and are not cancelled.
package final class Storage: Sendable {
  /// Work within a transaction, without side effects: it may be retried after a conflict.
  package typealias Work<T> = @Sendable (Database) throws -> T

  private let engine: any StorageEngine

  package init(_ engine: any StorageEngine) { self.engine = engine }

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

/// A database behind `Storage`.
package protocol StorageEngine: Sendable {
  var waitingWrites: Int { get }

  /// Calls `body` after every commit, from a thread of the engine.
  func onCommit(_ body: @escaping @Sendable () -> Void)

  /// Calls `body` when the feed may have entries of other processes.
  func onChange(_ body: @escaping @Sendable () -> Void)

  /// Called when another process has written to the database.
  func othersWrote()

  /// - Parameter limit: See `Storage.read`.
  func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T
  func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T
  func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T
  func close() throws
}

extension StorageEngine {
  package func othersWrote() {}

  package func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await write(work)
  }
}

/// What is called after each commit of an engine.
///
/// The function is in a structure: read out of a `Mutex` of functions, it would be wrapped once more
/// by each `withLock`, until a call of it needs more than the stack.
final class CommitHook: Sendable {
  private struct State {
    var body: @Sendable () -> Void = {}
  }

  private let state = Mutex(State())

  package func set(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.body = body } }

  func run() {
    let body = state.withLock { $0.body }
    body()
  }
}

extension DispatchQueue {
  /// The queue of delayed work.
  ///
  /// A serial queue, and never a global one or `Task.sleep`, which uses it: on Linux the first work
  /// on a global queue starts dispatch's watch over its threads, which wakes every second for ever.
  package static let timers = DispatchQueue(label: "rally.server.timers")
}
