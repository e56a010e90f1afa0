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
  /// feed does not have. Not serializable.
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
/// The function is in a structure. Read out of a `Mutex` of functions, it would be wrapped once
/// more by each `withLock`, until a call of it needs more than the stack.
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
  /// A serial queue, and never a global one or `Task.sleep`, which uses it. On Linux the first work
  /// on a global queue starts dispatch's watch over its threads, which wakes every second for ever.
  package static let timers = DispatchQueue(label: "rally.server.timers")
}

/// An error of storage; contains no value of any row.
package struct StorageFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// A row has an invalid value.
    case damaged
    /// A constraint is violated: a missing reference or a duplicate.
    case constraint
    /// The database can be read and not be changed.
    case readOnly
    /// The database takes no more connections.
    case crowded
    /// The disk is full.
    case full
    /// The disk reported an error.
    case io
    /// The transaction was aborted.
    case aborted
    /// Other transactions blocked it for too long.
    case busy
    /// It exceeded its time limit.
    case interrupted
    /// The database server cannot be reached.
    case unreachable
    case other
  }

  package var kind: Kind
  /// The engine's message.
  package var message: String

  package init(kind: Kind, message: String) {
    self.kind = kind
    self.message = message
  }

  package static func damaged(_ message: String) -> StorageFailure {
    StorageFailure(kind: .damaged, message: message)
  }

  package var description: String { message }

  /// Whether the same work may succeed at the next try, without anybody doing anything.
  package var isTransient: Bool {
    [.aborted, .busy, .crowded, .interrupted, .unreachable].contains(kind)
  }

  /// The error for clients; nil for internal failures.
  ///
  /// The codes of PostgreSQL and PostgREST. The same call can succeed later.
  package var refusal: (code: String, message: String, status: Int)? {
    switch kind {
    case .full:
      ("53100", "The server has no room left, so that nothing was changed. Try again later.", 503)
    case .readOnly:
      (
        "25006",
        "The server's database can only be read now, so that nothing was changed. Try again later.",
        503
      )
    case .crowded:
      ("53300", "The server's database takes no more connections. Try again later.", 503)
    case .io:
      (
        "58030", "The server's disk does not answer, so that nothing was changed. Try again later.",
        503
      )
    case .unreachable:
      ("PGRST001", "The server's database cannot be reached. Try again later.", 503)
    case .interrupted:
      (
        "57014", "This took the server too long, so that it was stopped. Ask for less, or later.",
        503
      )
    case .busy: ("PGRST003", "The server's database is too busy. Try again later.", 504)
    case .damaged, .constraint, .aborted, .other: nil
    }
  }
}
