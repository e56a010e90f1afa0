import Foundation
import GRDB
import Logging
import Synchronization

/// The one seam between rules and SQLite.
///
/// Writes that arrive while another one is being made durable share the next commit: each runs in
/// a savepoint of its own, so that one which throws takes nothing from its neighbours, and all are
/// answered after the commit. SQLite works on threads of its own, never on the cooperative pool.
final class Storage: Sendable {
  /// Pure work on a connection; may run again when the database was busy.
  typealias Work<T> = @Sendable (Database) throws -> T

  private struct Pending: Sendable {
    /// Runs the work in a savepoint; the returned closure gives the caller its result.
    let perform: @Sendable (Database) -> @Sendable () -> Void
    /// Tells the caller that the commit did not happen.
    let fail: @Sendable (any Error) -> Void
  }

  private static let busyRetries = 3

  private let connection: any DatabaseWriter
  private let pending = Mutex<[Pending]>([])
  private let afterCommit = Mutex<(@Sendable () -> Void)?>(nil)

  /// - Parameter path: The database file; nil keeps everything in memory.
  init(path: String?) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 2
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      // What was removed, a position above all, is overwritten and not left in free pages.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    if let path {
      let pool = try DatabasePool(path: path, configuration: configuration)
      // GRDB relaxes this when it switches to WAL; an acknowledged write must survive a power cut.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      connection = pool
    } else {
      connection = try DatabaseQueue(configuration: configuration)
    }
    try Migrations.migrator.migrate(connection)
  }

  /// Calls `body` after every commit, from SQLite's thread.
  func onCommit(_ body: @escaping @Sendable () -> Void) { afterCommit.withLock { $0 = body } }

  /// How many writes wait for the next commit.
  var waitingWrites: Int { pending.withLock { $0.count } }

  /// A consistent snapshot of everything committed. Not cancelled half-way, like a write.
  func read<T: Sendable>(_ work: @escaping Work<T>) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      connection.asyncRead { database in
        continuation.resume(with: Result { try work(database.get()) })
      }
    }
  }

  /// Runs `work` in an immediate transaction and returns once it is durable.
  func write<T: Sendable>(_ work: @escaping Work<T>) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      let entry = Pending(
        perform: { database in
          let result = Result { try Storage.inSavepoint(database, work) }
          return { continuation.resume(with: result) }
        },
        fail: { continuation.resume(throwing: $0) })
      let isFirst = pending.withLock { queue in
        queue.append(entry)
        return queue.count == 1
      }
      if isFirst { connection.asyncWriteWithoutTransaction { [self] in drain($0) } }
    }
  }

  /// Moves the log into the database file and closes it.
  func close() throws {
    if connection is DatabasePool {
      try connection.writeWithoutTransaction {
        _ = try $0.checkpoint(.truncate)
      }
    }
    try connection.close()
  }

  private static func inSavepoint<T>(_ database: Database, _ work: Work<T>) throws -> T {
    var value: T?
    try database.inSavepoint {
      value = try work(database)
      return .commit
    }
    guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return value
  }

  private func drain(_ database: Database) {
    let batch = pending.withLock { queue in
      defer { queue = [] }
      return queue
    }
    for attempt in 0...Storage.busyRetries {
      var answers: [@Sendable () -> Void] = []
      do {
        try database.inTransaction(.immediate) {
          for entry in batch {
            answers.append(entry.perform(database))
            // A full disk or an I/O error ends the whole transaction behind our back.
            guard database.isInsideTransaction else {
              throw DatabaseError(resultCode: .SQLITE_ABORT)
            }
          }
          return .commit
        }
        afterCommit.withLock { $0 }?()
        for answer in answers { answer() }
        return
      } catch {
        let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
        guard isBusy, attempt < Storage.busyRetries else {
          for entry in batch { entry.fail(error) }
          return
        }
      }
    }
  }
}
