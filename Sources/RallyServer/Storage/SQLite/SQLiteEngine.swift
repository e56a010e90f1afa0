import Dispatch
import GRDB
import Synchronization

/// SQLite in a file or in memory.
///
/// Writes that arrive while another one is being made durable share the next commit: each runs in
/// a savepoint of its own, so that one which throws takes nothing from its neighbours, and all are
/// answered after the commit. SQLite works on threads of its own, never on the cooperative pool.
final class SQLiteEngine: StorageEngine {
  private struct Answer: Sendable {
    let give: @Sendable () -> Void
    /// Why the work failed; nil when it did not.
    let failure: (any Error)?
  }

  private struct Pending: Sendable {
    /// Runs the work in a savepoint; the returned closure gives the caller its result.
    let perform: @Sendable (GRDB.Database) -> Answer
    /// Tells the caller that the commit did not happen.
    let fail: @Sendable (any Error) -> Void
  }

  private static let busyRetries = 3
  /// Twice what one person may have in work; each keeps some memory for pages.
  private static let readers = 4
  /// How long after a commit the log is folded into the database and emptied. Until then pages as
  /// they were before, such as a position that was withdrawn, can still be read in its file.
  static let logAge = Duration.seconds(30)
  /// For a log that somebody reads at that moment.
  private static let logRetry = Duration.seconds(1)

  private struct LogState {
    /// Whether its emptying is due at some time.
    var isDue = false
    var isClosed = false
  }

  private let connection: any DatabaseWriter
  /// Whether another process may work on the same file, and answers for its log and its shape.
  private let isShared: Bool
  private let pending = Mutex<[Pending]>([])
  private let afterCommit = Mutex<(@Sendable () -> Void)?>(nil)
  private let logAge: Duration
  private let log = Mutex(LogState())

  /// - Parameters:
  ///   - path: The database file; nil keeps everything in memory.
  ///   - isShared: Whether another process may work on the file; then it is not brought up to date.
  ///   - logAge: How long after a commit the log is emptied.
  /// - Throws: `ExistingDatabase.Failure.newer` before anything is changed.
  init(path: String?, isShared: Bool = false, logAge: Duration = logAge) throws {
    self.isShared = isShared
    self.logAge = logAge
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = SQLiteEngine.readers
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { database in
      // What was removed, a position above all, is overwritten and not left in free pages.
      try database.execute(sql: "PRAGMA secure_delete = ON")
    }
    if let path {
      // Opening the pool writes already.
      if !isShared { try ExistingDatabase.requireNotNewer(path) }
      let pool = try DatabasePool(path: path, configuration: configuration)
      // GRDB relaxes this when it switches to WAL; an acknowledged write must survive a power cut.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      connection = pool
    } else {
      connection = try DatabaseQueue(configuration: configuration)
    }
    if !isShared {
      try SQLiteEngine.migrator.migrate(connection)
      // A server that was killed left its log.
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

  func onCommit(_ body: @escaping @Sendable () -> Void) { afterCommit.withLock { $0 = body } }

  /// A file's only server hears of its own commits; for commands beside it see `ExternalWriteNotifier`.
  func onNews(_ body: @escaping @Sendable () -> Void) {}

  var waitingWrites: Int { pending.withLock { $0.count } }

  func read<T: Sendable>(
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
  func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
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
  func close() throws {
    log.withLock { $0.isClosed = true }
    if connection is DatabasePool, !isShared {
      try connection.writeWithoutTransaction {
        _ = try $0.checkpoint(.truncate)
      }
    }
    try connection.close()
  }

  // MARK: - The log

  func othersWrote() { emptyLog(after: logAge) }

  /// Has the log emptied, once for all commits until then; without a commit nothing waits.
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
      // Begun under the lock, so that closing waits for it.
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

  /// Folds the log into the database and cuts its file to nothing.
  ///
  /// - Throws: `SQLITE_BUSY` at once while somebody reads or writes: nobody is kept waiting.
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
            // A full disk or an I/O error ends the whole transaction behind our back.
            guard database.isInsideTransaction else {
              throw answer.failure ?? DatabaseError(resultCode: .SQLITE_ABORT)
            }
            answers.append(answer)
          }
          return .commit
        }
        afterCommit.withLock { $0 }?()
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
