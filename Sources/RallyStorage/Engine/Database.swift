/// A connection within a transaction.
///
/// Statements use SQL that all engines share; others depend on `engine`.
package struct Database {
  package enum Engine: Hashable, Sendable, CaseIterable {
    case sqlite, postgres
  }

  package let engine: Engine
  let connection: any StorageConnection

  init(_ engine: Engine, on connection: any StorageConnection) {
    self.engine = engine
    self.connection = connection
  }

  /// Several statements, without arguments.
  package func execute(sql: String) throws { try connection.executeScript(sql) }

  package func execute(sql: String, arguments: StatementArguments) throws {
    try connection.execute(sql, arguments)
  }

  /// Whether nothing can be changed: a host that is out of room switches that on, and a primary that
  /// another one has taken the place of is so.
  package func isReadOnly() throws -> Bool {
    guard engine == .postgres else {
      _ = try Int.fetchOne(self, sql: "SELECT 1")
      return false
    }
    return try Bool.fetchOne(
      self,
      sql: "SELECT current_setting('default_transaction_read_only') = 'on' OR pg_is_in_recovery()")
      == true
  }

  package func rows(_ sql: String, _ arguments: StatementArguments) throws -> [Row] {
    try connection.rows(sql, arguments, limit: nil)
  }

  func firstRow(_ sql: String, _ arguments: StatementArguments) throws -> Row? {
    try connection.rows(sql, arguments, limit: 1).first
  }
}

/// A connection of an engine, used by one thread at a time.
///
/// Statements with arguments are prepared once and cached.
protocol StorageConnection {
  func executeScript(_ sql: String) throws
  func execute(_ sql: String, _ arguments: StatementArguments) throws

  /// - Parameter limit: The maximum number of rows to read; nil for all.
  func rows(_ sql: String, _ arguments: StatementArguments, limit: Int?) throws -> [Row]
}
