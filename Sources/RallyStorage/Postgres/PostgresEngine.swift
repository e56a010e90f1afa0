import Foundation

/// PostgreSQL through libpq, on its own threads.
///
/// Writes are serializable transactions, retried after conflicts. Several servers may share a
/// database.
package final class PostgresEngine: StorageEngine {
  private static let write = "BEGIN ISOLATION LEVEL SERIALIZABLE"
  private static let count = "BEGIN ISOLATION LEVEL READ COMMITTED"
  private static let read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

  /// How long a transaction is retried.
  private static let patience = Duration.seconds(10)

  private let pool: PostgresPool
  private let listener: PostgresListener
  private let outage = PostgresOutage()
  private let commitHook = CommitHook()

  /// Connects and migrates the database.
  ///
  /// - Parameters:
  ///   - connections: The maximum number of concurrent transactions.
  ///   - migrates: Whether the database is migrated; otherwise it must be up to date.
  ///   - silence: How long the database may say nothing to a statement before it counts as lost.
  ///   - wait: How long a database is waited for that is not there yet; a wrong address is reported
  ///     at once.
  ///   - didWait: Called with the reason when it begins to wait.
  /// - Throws: `unreachable` or `crowded` after that; `other` for a pooler that does not pool sessions.
  package init(
    _ address: PostgresAddress, connections: Int = 8, migrates: Bool = true,
    silence: Duration = PostgresConnection.silence, waiting wait: Duration = .zero,
    didWait: @escaping @Sendable (any Error) -> Void = { _ in }
  ) async throws {
    let pool = PostgresPool(address, connections: connections, silence: silence)
    self.pool = pool
    try await PostgresEngine.submit(to: pool) { connection in
      try PostgresEngine.open(connection, waiting: wait, didWait)
      try PostgresPooler.requireSessions(on: connection, address)
      let steps = Migrations.migrator.steps
      if migrates {
        try PostgresMigrations.run(steps, on: connection)
      } else {
        try PostgresMigrations.requireDone(steps, on: connection)
      }
    }
    listener = try PostgresListener(address)
  }

  private static func open(
    _ connection: PostgresConnection, waiting wait: Duration, _ didWait: (any Error) -> Void
  ) throws {
    let start = ContinuousClock.now
    var isFirst = true
    while true {
      do {
        return try connection.open()
      } catch {
        let passing = [PostgresCode.connectionLost, PostgresCode.tooManyConnections]
        guard let code = connection.failureCode, passing.contains(code),
          start.duration(to: .now) < wait
        else { throw error }
        if isFirst { didWait(error) }
        isFirst = false
        usleep(500_000)
      }
    }
  }

  package func onCommit(_ body: @escaping @Sendable () -> Void) { commitHook.set(body) }

  package func onChange(_ body: @escaping @Sendable () -> Void) { listener.onChange(body) }

  package var waitingWrites: Int { pool.waiting }

  package func read<T: Sendable>(
    within limit: Duration?, _ work: @escaping Storage.Work<T>
  ) async throws -> T {
    var begin = PostgresEngine.read
    if let limit {
      let milliseconds = max(1, Int(limit / .milliseconds(1)))
      begin += "; SET LOCAL statement_timeout = \(min(milliseconds, Int(Int32.max)))"
    }
    return try await PostgresEngine.submit(to: pool) { [begin, outage] connection in
      try PostgresEngine.perform(begin, work, on: connection, outage)
    }
  }

  package func write<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await PostgresEngine.submit(to: pool) { [self] connection in
      // Entries that waited for a failed transaction can be read now, too.
      defer { listener.announce() }
      let value = try PostgresEngine.perform(PostgresEngine.write, work, on: connection, outage)
      commitHook.run()
      return value
    }
  }

  package func count<T: Sendable>(_ work: @escaping Storage.Work<T>) async throws -> T {
    try await PostgresEngine.submit(to: pool) { [outage] connection in
      try PostgresEngine.perform(PostgresEngine.count, work, on: connection, outage)
    }
  }

  package func close() throws {
    pool.close()
    listener.close()
  }

  private static func submit<T: Sendable>(
    to pool: PostgresPool, _ work: @escaping @Sendable (PostgresConnection) throws -> T
  ) async throws -> T {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<T, any Error>) in
      let isTaken = pool.submit { connection in
        continuation.resume(with: Result { try work(connection) })
      }
      if !isTaken {
        continuation.resume(
          throwing: StorageFailure(kind: .aborted, message: "The database was closed."))
      }
    }
  }

  private static func perform<T>(
    _ begin: String, _ work: Storage.Work<T>, on connection: PostgresConnection,
    _ outage: PostgresOutage
  ) throws -> T {
    var retries = PostgresRetries()
    let start = ContinuousClock.now
    while true {
      let wasOpen = connection.isOpen
      do {
        try connection.open()
        let value = try connection.transaction(begin) { try work(Database(.postgres, on: $0)) }
        outage.end()
        return value
      } catch {
        let code = connection.failureCode
        var isRetried = true
        if let code, [.unreachable, .crowded].contains(PostgresCode.kind(code)) {
          // A connection of before may have been lost in an outage that is over.
          isRetried = outage.isBridged() || wasOpen
        } else {
          outage.end()
        }
        guard let code else { throw error }
        // Connecting again prefers a host that can be changed.
        if PostgresCode.kind(code) == .readOnly { connection.close() }
        // A read has nothing to store.
        guard !connection.isCommitting || begin.hasPrefix(read) else {
          throw StorageFailure(
            kind: .unreachable,
            message: "The database went away before it said whether the change was stored.")
        }
        guard isRetried, start.duration(to: .now) < PostgresEngine.patience,
          let pause = retries.pause(after: code)
        else { throw error }
        if PostgresCode.isAboutPlans(code) { connection.forgetPrepared() }
        // A separate thread, since closing blocks.
        if pause > .zero { usleep(useconds_t(pause / .microseconds(1))) }
      }
    }
  }
}

extension Storage {
  /// A PostgreSQL database of the present version, for one operator's command.
  ///
  /// - Throws: `StorageFailure`.
  package convenience init(command address: PostgresAddress) async throws {
    self.init(try await PostgresEngine(address, connections: 1, migrates: false))
  }
}
