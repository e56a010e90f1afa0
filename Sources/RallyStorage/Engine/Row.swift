import RallyWire

/// One row of a result.
///
/// Columns are read by name. Those of a `StoredTable` are found by their place in its list of columns,
/// without a search.
package struct Row: Sendable, CustomStringConvertible {
  package let columns: [String]
  package let values: [SQLValue]

  /// - Throws: `StorageFailure` for a value of another type.
  package subscript<Value: SQLConvertible>(column: some TableColumn) -> Value {
    get throws { try value(at: column.rawValue) }
  }

  /// A column of a statement that names its columns itself. Those that it joins to a table's come
  /// last, so the search starts at the end.
  ///
  /// - Throws: `StorageFailure` for a value of another type, and without such a column.
  package subscript<Value: SQLConvertible>(name: String) -> Value {
    get throws { try value(at: index(of: name)) }
  }

  private func index(of name: String) throws -> Int {
    guard let index = columns.lastIndex(of: name) else {
      throw StorageFailure(kind: .other, message: "the statement has no column \(name)")
    }
    return index
  }

  fileprivate func value<Value: SQLConvertible>(at index: Int) throws -> Value {
    guard let value = Value(values[index]) else {
      throw StorageFailure.damaged("the column \(columns[index]) is not a \(Value.self)")
    }
    return value
  }

  package var description: String {
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

// MARK: - Places

extension Row {
  /// A place in two columns; nil where they are null.
  ///
  /// - Throws: `StorageFailure` for numbers that name no place.
  package func coordinate<Column: TableColumn>(
    _ latitude: Column, _ longitude: Column
  ) throws -> Coordinate? {
    guard let latitude: Int64 = try self[latitude], let longitude: Int64 = try self[longitude]
    else { return nil }
    guard let place = Coordinate(latitudeUnits: latitude, longitudeUnits: longitude) else {
      throw StorageFailure.damaged("a row has no place")
    }
    return place
  }
}

// MARK: - Queries

extension Row {
  package static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> [Row] {
    try database.rows(sql, arguments)
  }

  package static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Row? {
    try database.firstRow(sql, arguments)
  }
}

/// The first column of a result.
extension SQLConvertible {
  package static func fetchAll(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> [Self] {
    try database.rows(sql, arguments).map { try $0.value(at: 0) }
  }

  /// nil without a row, and for null.
  package static func fetchOne(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Self? {
    try database.firstRow(sql, arguments).flatMap { try $0.value(at: 0) }
  }
}

extension SQLConvertible where Self: Hashable {
  package static func fetchSet(
    _ database: Database, sql: String, arguments: StatementArguments = []
  ) throws -> Set<Self> {
    Set(try fetchAll(database, sql: sql, arguments: arguments))
  }
}
