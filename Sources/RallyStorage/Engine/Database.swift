/// A connection within a transaction.
///
/// Statements use SQL that all engines share; others depend on `engine`.
package struct Database {
  package enum Engine: Hashable, Sendable, CaseIterable {
    case sqlite, postgres
  }

  package let engine: Engine
  package let connection: any StorageConnection

  package init(_ engine: Engine, on connection: any StorageConnection) {
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
package protocol StorageConnection {
  func executeScript(_ sql: String) throws
  func execute(_ sql: String, _ arguments: StatementArguments) throws

  /// - Parameter limit: The maximum number of rows to read; nil for all.
  func rows(_ sql: String, _ arguments: StatementArguments, limit: Int?) throws -> [Row]
}

/// The parameters of a statement: `?` by order, or `:name` by name.
package struct StatementArguments: Sendable, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  private(set) var ordered: [SQLValue] = []
  private(set) var named: [String: SQLValue] = [:]

  var isEmpty: Bool { ordered.isEmpty && named.isEmpty }

  package init(arrayLiteral elements: (any SQLConvertible)?...) {
    ordered = elements.map { $0?.sqlValue ?? .null }
  }

  package init(dictionaryLiteral elements: (String, (any SQLConvertible)?)...) {
    for (name, value) in elements { named[name] = value?.sqlValue ?? .null }
  }

  package init(values: [SQLValue]) { ordered = values }

  package init(_ elements: some Sequence<some SQLConvertible>) {
    ordered = elements.map(\.sqlValue)
  }

  package static func += (arguments: inout Self, more: Self) {
    arguments.ordered += more.ordered
    arguments.named.merge(more.named) { $1 }
  }
}

/// Migration steps, each run once in its own transaction.
struct Migrator: Sendable {
  struct Step: Sendable {
    let name: String
    let run: @Sendable (Database) throws -> Void
  }

  private(set) var steps: [Step] = []

  mutating func registerMigration(
    _ name: String, _ run: @escaping @Sendable (Database) throws -> Void
  ) {
    steps.append(Step(name: name, run: run))
  }
}
