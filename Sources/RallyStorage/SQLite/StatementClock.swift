import Foundation
import GRDB
import GRDBSQLite

/// Interrupts the statements of a read that exceeds its CPU time.
///
/// CPU time of the thread is measured, so that a busy machine does not interrupt reads.
enum StatementClock {
  /// Virtual machine instructions between two checks.
  private static let interval: Int32 = 2000

  /// Runs `work`; its statements end with `SQLITE_INTERRUPT` after `limit`.
  static func limit<T>(
    _ database: GRDB.Database, to limit: Duration?, _ work: () throws -> T
  ) throws -> T {
    guard let limit, let connection = database.sqliteConnection else { return try work() }
    var deadline = now + limit / .nanoseconds(1)
    return try withUnsafeMutablePointer(to: &deadline) { deadline in
      sqlite3_progress_handler(
        connection, interval,
        { deadline in
          guard let deadline else { return 0 }
          return StatementClock.now > deadline.load(as: Double.self) ? 1 : 0
        }, deadline)
      // The end of the transaction must not be interrupted.
      defer { sqlite3_progress_handler(connection, 0, nil, nil) }
      return try work()
    }
  }

  /// Nanoseconds of processor time that this thread has used.
  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
