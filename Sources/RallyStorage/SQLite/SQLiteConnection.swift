import Foundation
import GRDB
import GRDBSQLite

struct SQLiteConnection: StorageConnection {
  let database: GRDB.Database

  func executeScript(_ sql: String) throws {
    try SQLiteConnection.explained { try database.execute(sql: sql) }
  }

  func execute(_ sql: String, _ arguments: StatementArguments) throws {
    try SQLiteConnection.explained {
      try database.cachedStatement(sql: sql).execute(arguments: arguments.ofGRDB)
    }
  }

  func rows(_ sql: String, _ arguments: StatementArguments, limit: Int?) throws -> [Row] {
    try SQLiteConnection.explained {
      let statement = try database.cachedStatement(sql: sql)
      let columns = statement.columnNames
      let found = try GRDB.Row.fetchCursor(statement, arguments: arguments.ofGRDB)
      var rows: [Row] = []
      while rows.count < limit ?? .max, let row = try found.next() {
        rows.append(Row(columns: columns, values: row.databaseValues.map(SQLValue.init)))
      }
      return rows
    }
  }

  /// Converts GRDB's errors to `StorageFailure`, without values.
  static func explained<T>(_ work: () throws -> T) throws -> T {
    do {
      return try work()
    } catch let error as DatabaseError {
      throw StorageFailure(error)
    }
  }
}

extension StorageFailure {
  init(_ error: DatabaseError) {
    let kind: Kind =
      switch error.resultCode {
      case .SQLITE_CONSTRAINT: .constraint
      case .SQLITE_FULL: .full
      case .SQLITE_IOERR: .io
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
      case .SQLITE_ABORT: .aborted
      case .SQLITE_BUSY: .busy
      case .SQLITE_INTERRUPT: .interrupted
      default: .other
      }
    self.init(kind: kind, message: error.description)
  }
}

extension SQLValue {
  fileprivate init(_ value: DatabaseValue) {
    self =
      switch value.storage {
      case .null: .null
      case .int64(let number): .integer(number)
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .blob(let data): .text(String(decoding: data, as: UTF8.self))
      }
  }

  fileprivate var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .integer(let number): number.databaseValue
    case .real(let number): number.databaseValue
    case .text(let text): text.databaseValue
    }
  }
}

extension StatementArguments {
  fileprivate var ofGRDB: GRDB.StatementArguments {
    // A key path would be made anew at each call.
    named.isEmpty
      ? .init(ordered.map { $0.databaseValue }) : .init(named.mapValues { $0.databaseValue })
  }
}

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
