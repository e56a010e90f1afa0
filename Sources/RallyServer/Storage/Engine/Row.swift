/// One row of an answer; columns are counted from zero.
struct Row: Sendable, CustomStringConvertible {
  let columns: [String]
  let values: [SQLValue]

  /// Statements and tables are ours: a column that is not what the code says, a null in the place
  /// of a value above all, is a mistake in the code, and ends the program.
  subscript<Value: SQLConvertible>(index: Int) -> Value {
    guard let value = Value(values[index]) else {
      preconditionFailure("The column \(columns[index]) is not a \(Value.self)")
    }
    return value
  }

  subscript<Value: SQLConvertible>(index: Int) -> Value? {
    values[index] == .null ? nil : self[index] as Value
  }

  var description: String {
    zip(columns, values).map { name, value in
      switch value {
      case .null: "\(name):NULL"
      case .integer(let number): "\(name):\(number)"
      case .real(let number): "\(name):\(number)"
      case .text(let text): "\(name):\"\(text)\""
      }
    }.joined(separator: " ")
  }
}

// MARK: - Asking

extension Row {
  static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> [Row] {
    try database.rows(sql, arguments)
  }

  static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Row? {
    try database.firstRow(sql, arguments)
  }
}

/// The first column of an answer.
extension SQLConvertible {
  static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> [Self] {
    try database.rows(sql, arguments).map { $0[0] }
  }

  /// nil without a row, and for null.
  static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Self? {
    try database.firstRow(sql, arguments).flatMap { $0[0] }
  }
}

extension SQLConvertible where Self: Hashable {
  static func fetchSet(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Set<Self> {
    Set(try fetchAll(database, sql: sql, arguments: arguments))
  }
}
