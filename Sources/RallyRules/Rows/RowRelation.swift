import RallyText
import RallyWire

/// A row as JSON, by column.
package typealias JSONRow = [String: JSONValue]

/// The subject of a query: a table, or the rows that a function returns.
package struct RowRelation: Sendable {
  package let name: String
  package let columns: [ChangeEvent.Column]

  package init(name: String, columns: [ChangeEvent.Column]) {
    self.name = name
    self.columns = columns
  }

  /// - Throws: `42703` for a column that it does not have.
  package func type(of column: String) throws -> ColumnType {
    guard let found = columns.first(where: { $0.name == column }) else {
      throw FunctionFailure(code: "42703", message: "column \(name).\(column) does not exist")
    }
    return ColumnType(rawValue: found.type) ?? .json
  }

  /// A name of a query without its double quotes.
  static func unquoted(_ name: some StringProtocol) -> String {
    guard name.count > 1, name.first == "\"", name.last == "\"" else { return String(name) }
    return String(name.dropFirst().dropLast())
  }

  package func has(_ column: String) -> Bool { columns.contains { $0.name == column } }

  /// Adds missing columns as null, as PostgreSQL writes them.
  package func completed(_ row: JSONRow) -> JSONRow {
    var row = row
    for column in columns where row[column.name] == nil { row[column.name] = .null }
    return row
  }
}

/// A column's type, which decides how values are parsed and compared.
package enum ColumnType: String, Hashable, Sendable {
  case uuid, text, bool
  case integer = "int8"
  case number = "float8"
  case time = "timestamptz"
  case json = "jsonb"

  /// As PostgreSQL names it in errors.
  var title: String {
    switch self {
    case .uuid: "uuid"
    case .text: "text"
    case .bool: "boolean"
    case .integer: "bigint"
    case .number: "double precision"
    case .time: "timestamp with time zone"
    case .json: "jsonb"
    }
  }
}
