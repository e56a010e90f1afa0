import Foundation

@testable import RallyStorage

/// Rows for every table of the schema, also of later migrations: texts that are easily damaged on
/// the way, numbers at their limits, nulls wherever they may be.
struct SchemaRows {
  private static let texts = [
    "plain", "é", "e\u{301}", "'\"\\; --", "漢字", "\u{FFFD}", "👩‍👩‍👧", "line\n\ttab", "",
    String(repeating: "long ", count: 60),
  ]
  private static let reals = [
    0.1, -1e-300, .leastNonzeroMagnitude, 1.797_693_134_862_315_7e308, 48.858_370_1,
  ]

  private let database: Database
  private let tables: [MovedTable]
  private var made: [String: [[String: SQLValue]]] = [:]

  /// Fills an empty SQLite database.
  ///
  /// - Parameter people: The number of rows of `users`; tables that refer to others have some fewer.
  static func fill(_ database: Database, people: Int) throws {
    var rows = SchemaRows(database: database, tables: try MovedTable.all())
    for table in rows.tables { try rows.fill(table, people) }
  }

  private init(database: Database, tables: [MovedTable]) {
    self.database = database
    self.tables = tables
  }

  private mutating func fill(_ table: MovedTable, _ people: Int) throws {
    let columns = try Row.fetchAll(
      database, sql: "SELECT name, type, \"notnull\" AS required FROM pragma_table_info(?)",
      arguments: [table.name])
    let parents = table.references.map { made[$0.parent] ?? [] }
    let count = max(0, parents.enumerated().map { $1.count - $0 }.min() ?? people)
    let rows = try (0..<count).map { number in
      var row: [String: SQLValue] = [:]
      for column in columns {
        let name: String = try column["name"]
        row[name] = SchemaRows.value(
          of: name, type: try column["type"], number: number)
      }
      for (index, reference) in table.references.enumerated() {
        for (here, there) in zip(reference.columns, reference.parentColumns) {
          row[here] = parents[index][number + index][there]
        }
      }
      for column in columns where try !column["required"] {
        let name: String = try column["name"]
        if (number + name.utf8.count) % 3 == 0 { row[name] = .null }
      }
      SchemaRows.meetChecks(&row, of: table)
      return row
    }
    made[table.name] = rows
    try table.insert(
      rows.map { row in table.columns.map { row[$0] ?? .null } }, into: database)
  }

  /// - Parameter number: The row; no two of a table have the same number or text in a column.
  private static func value(
    of name: String, type: String, number: Int
  ) -> SQLValue {
    switch type {
    case "DOUBLE PRECISION": return .real(reals[number % reals.count])
    case "BIGINT", "INTEGER":
      let small = Int64(number)
      switch number % 3 {
      case 0: return .integer(small)
      case 1: return .integer(Int64.max - small)
      default: return .integer(Int64.min + small)
      }
    default: return .text("\(texts[number % texts.count])\(name)\(number)")
    }
  }

  private static func meetChecks(_ row: inout [String: SQLValue], of table: MovedTable) {
    guard table.name == "friendships" else { return }
    if case .text(let one) = row["smaller"], case .text(let other) = row["larger"],
      !one.utf8.lexicographicallyPrecedes(other.utf8)
    {
      (row["smaller"], row["larger"]) = (row["larger"], row["smaller"])
    }
    row["requester"] = row["larger"]
  }
}
