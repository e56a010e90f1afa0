import Dispatch
import GRDB
import Synchronization

/// SQLite in a file or in memory.
///
/// Writes that arrive during a commit share the next one: each runs in its own savepoint, so that
/// an error does not affect the others, and returns after the commit. SQLite runs on its own
/// threads, not on the cooperative pool.
package final class SQLiteEngine: StorageEngine {
  private struct Answer: Sendable {
    let give: @Sendable () -> Void
    /// The error of the work; nil if it succeeded.
    let failure: (any Error)?
  }

  private struct Pending: Sendable {
    /// Runs the work in a savepoint; the returned closure gives the caller its result.
    let perform: @Sendable (GRDB.Database) -> Answer
    /// Reports to the caller that the commit failed.
    let fail: @Sendable (any Error) -> Void
  }

  private static let busyRetries = 3
  /// Twice the number of concurrent reads of a user; each reader has a page cache.
  private static let readers = 4
  /// How long after a commit the write-ahead log is checkpointed and truncated. Until then its file
  /// contains older pages, such as a withdrawn position.
  static let logAge = Duration.seconds(30)
  /// The retry delay if the log is in use.
  private static let logRetry = Duration.seconds(1)

  private struct LogState {
    /// Whether truncating it is scheduled.
    var isDue = false
    var isClosed = false
  }

  private let connection: any DatabaseWriter
  /// Whether a server may use the same file; then it alone migrates it and truncates the log.
  private let isShared: Bool
  private let pending = Mutex<[Pending]>([])
  private let commitHook = CommitHook()
  private let logAge: Duration
  private let log = Mutex(LogState())

  /// - Parameters:
  ///   - path: The database file; nil keeps everything in memory.
  ///   - isShared: Whether a server may use the file; then it is not migrated.
  ///   - logAge: How long after a commit the log is truncated.
  /// - Throws: `ExistingDatabase.Failure.newer`, without changing the file.
  package init(path: String?, isShared: Bool = false, logAge: Duration = logAge) throws {
    self.isShared = isShared
    self.logAge = logAge
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = SQLiteEngine.readers
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      // Overwrites deleted content, such as positions, in free pages.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    if let path {
      // Checked first, since opening the pool writes.
      if !isShared { try ExistingDatabase.requireNotNewer(path) }
      let pool = try DatabasePool(path: path, configuration: configuration)
      // GRDB sets NORMAL for WAL; an acknowledged write must survive a power failure.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      connection = pool
    } else {
      connection = try DatabaseQueue(configuration: configuration)
    }
    if !isShared {
      try SQLiteEngine.migrator.migrate(connection)
      // A server that was killed leaves its log.
      try? connection.writeWithoutTransaction { try SQLiteEngine.emptyLog(of: $0) }
    }
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for step in Migrations.migrator.steps {
      migrator.registerMigration(step.name) { try step.run(database($0)) }
    }
    return migrator
  }

  private static func database(_ connection: GRDB.Database) -> Database {
    Database(.sqlite, on: SQLiteConnection(database: connection))
  }

  package func onCommit(_ body: @escaping @Sendable () -> Void) { commitHook.set(body) }

  /// No effect: one server uses a file, and `ExternalWriteNotifier` reports writes of commands.
  package func onChange(_ body: @escaping @Sendable () -> Void) {}

  package var waitingWrites: Int { pending.withLock { $0.count } }

  package func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      connection.asyncRead { database in
        continuation.resume(
          with: Result {
            let connection = try database.get()
            return try StatementClock.limit(connection, to: limit) {
              try work(SQLiteEngine.database(connection))
            }
          })
      }
    }
  }

  /// Runs `work` in an immediate transaction and returns once it is durable.
  package func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      let entry = Pending(
        perform: { database in
          let result = Result { try SQLiteEngine.inSavepoint(database, work) }
          let failure: (any Error)? = if case .failure(let error) = result { error } else { nil }
          return Answer(give: { continuation.resume(with: result) }, failure: failure)
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
  package func close() throws {
    log.withLock { $0.isClosed = true }
    if connection is DatabasePool, !isShared {
      try connection.writeWithoutTransaction {
        _ = try $0.checkpoint(.truncate)
      }
    }
    try connection.close()
  }

  // MARK: - The log

  package func othersWrote() { emptyLog(after: logAge) }

  /// Schedules truncating the log, once for all commits until then.
  private func emptyLog(after delay: Duration) {
    guard connection is DatabasePool, !isShared else { return }
    let isNew = log.withLock { log in
      defer { log.isDue = true }
      return !log.isDue
    }
    guard isNew else { return }
    DispatchQueue.timers.asyncAfter(
      deadline: .now() + .milliseconds(Int(delay / .milliseconds(1)))
    ) { [weak self] in self?.emptyLogNow() }
  }

  private func emptyLogNow() {
    log.withLock { log in
      log.isDue = false
      // Started under the lock, so that closing waits for it.
      guard !log.isClosed else { return }
      connection.asyncWriteWithoutTransaction { [weak self] database in
        do {
          try SQLiteEngine.emptyLog(of: database)
        } catch {
          self?.emptyLog(after: SQLiteEngine.logRetry)
        }
      }
    }
  }

  /// Checkpoints the log and truncates its file.
  ///
  /// - Throws: `SQLITE_BUSY` at once during a read or write.
  private static func emptyLog(of database: GRDB.Database) throws {
    try database.execute(sql: "PRAGMA busy_timeout = 0")
    defer { try? database.execute(sql: "PRAGMA busy_timeout = 5000") }
    _ = try database.checkpoint(.truncate)
  }

  private static func inSavepoint<T>(
    _ connection: GRDB.Database, _ work: Storage.Work<T>
  ) throws -> T {
    var value: T?
    try connection.inSavepoint {
      value = try work(database(connection))
      return .commit
    }
    guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
    return value
  }

  private func drain(_ database: GRDB.Database) {
    let batch = pending.withLock { queue in
      defer { queue = [] }
      return queue
    }
    for attempt in 0...SQLiteEngine.busyRetries {
      var answers: [Answer] = []
      do {
        try database.inTransaction(.immediate) {
          for entry in batch {
            let answer = entry.perform(database)
            // SQLite ends the whole transaction on a full disk or an I/O error.
            guard database.isInsideTransaction else {
              throw answer.failure ?? DatabaseError(resultCode: .SQLITE_ABORT)
            }
            answers.append(answer)
          }
          return .commit
        }
        commitHook.run()
        emptyLog(after: logAge)
        for answer in answers { answer.give() }
        return
      } catch {
        let failure = (error as? DatabaseError).map { StorageFailure($0) } ?? error
        let isBusy = (failure as? StorageFailure)?.kind == .busy
        guard isBusy, attempt < SQLiteEngine.busyRetries else {
          for entry in batch { entry.fail(failure) }
          return
        }
      }
    }
  }
}

extension Storage {
  /// SQLite.
  ///
  /// - Parameter path: The database file; nil keeps everything in memory.
  package convenience init(path: String?) throws { self.init(try SQLiteEngine(path: path)) }
}
