import RallyText

/// The columns of a table, in the order in which statements name them.
///
/// A column's name is its case in snake case: `startsAt` stands for `starts_at`, `userID` for `user_id`.
package protocol TableColumn: RawRepresentable<Int>, CaseIterable, Sendable {}

extension TableColumn {
  package var name: String { "\(self)".snakeCased }
}

/// The statements that name every column of a table, made once.
package struct StoredTable<Column: TableColumn>: Sendable {
  /// The value of each column in a row that is written.
  package typealias Values = (Column) -> (any SQLConvertible)?

  /// The columns of a SELECT, with the table's alias. They come first in it: `Row` finds a column by
  /// its place in this list.
  package let columns: String
  private let selecting: String
  private let inserting: String
  private let upserting: String
  private let updating: String
  /// The columns of `updating`, in the order of its parameters.
  private let updated: [Column]

  /// - Parameters:
  ///   - key: The columns that identify a row.
  ///   - unread: How many of the last columns are written but never read.
  ///   - counter: A column that grows by one when `upsert` meets a row.
  package init(
    _ name: String, as alias: String, key: [Column], unread: Int = 0, counter: Column? = nil
  ) {
    let all = Array(Column.allCases)
    let names = all.map(\.name)
    let keyNames = key.map(\.name)
    updated = all.filter { !keyNames.contains($0.name) } + key
    let others = updated.dropLast(key.count).map(\.name)
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    columns = names.dropLast(unread).map { "\(alias).\($0)" }.joined(separator: ", ")
    selecting = "SELECT \(columns) FROM \(name) \(alias) WHERE "
    inserting = "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    let replaced = others.map {
      $0 == counter?.name ? "\($0) = \(name).\($0) + 1" : "\($0) = excluded.\($0)"
    }
    upserting = """
      \(inserting) ON CONFLICT (\(keyNames.joined(separator: ", "))) \
      DO UPDATE SET \(replaced.joined(separator: ", "))
      """
    updating = """
      UPDATE \(name) SET \(others.map { "\($0) = ?" }.joined(separator: ", ")) \
      WHERE \(keyNames.map { "\($0) = ?" }.joined(separator: " AND "))
      """
  }

  /// - Parameter condition: What follows WHERE: the rows, their order and their number.
  package func rows(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws -> [Row] {
    try database.rows(selecting + condition, arguments)
  }

  /// The first of the rows; nil without any.
  package func row(
    where condition: String, _ arguments: StatementArguments, in database: Database
  ) throws -> Row? {
    try database.firstRow(selecting + condition, arguments)
  }

  package func insert(into database: Database, _ values: Values) throws {
    try database.execute(sql: inserting, arguments: arguments(of: Column.allCases, values))
  }

  /// Inserts the row, or updates the one with its key.
  package func upsert(into database: Database, _ values: Values) throws {
    try database.execute(sql: upserting, arguments: arguments(of: Column.allCases, values))
  }

  /// Updates every column of the row with this key.
  package func update(in database: Database, _ values: Values) throws {
    try database.execute(sql: updating, arguments: arguments(of: updated, values))
  }

  private func arguments(
    of columns: some Sequence<Column>, _ values: Values
  ) -> StatementArguments {
    StatementArguments(values: columns.map { values($0)?.sqlValue ?? .null })
  }
}
