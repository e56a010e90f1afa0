import GRDB
import RallyText
import RallyWire

/// Compares the schema of a database with the result of its migrations.
///
/// A forged backup could contain a trigger or view that the server would run.
enum SchemaCheck {
  private struct Item: Hashable {
    let type: String
    let name: String
  }

  /// A sentence for each difference.
  static func differences(in database: GRDB.Database) throws -> [String] {
    let done = try SQLiteEngine.migrator.appliedIdentifiers(database)
    let model = try DatabaseQueue()
    if let last = SQLiteEngine.migrator.migrations.last(where: done.contains) {
      try SQLiteEngine.migrator.migrate(model, upTo: last)
    }
    let wanted = try model.read(items)
    let found = try items(of: database)
    let names = Set(wanted.keys).union(found.keys)
    return names.sorted { ($0.type, $0.name) < ($1.type, $1.name) }.compactMap { item in
      let name = "the \(item.type) \(item.name.cleanedForDisplay)"
      return switch (wanted[item], found[item]) {
      case (nil, _): "\(name) does not belong there"
      case (_, nil): "\(name) is missing"
      case (let wanted, let found): wanted == found ? nil : "\(name) is another one"
      }
    }
  }

  /// The SQL of each item, without spaces; without SQLite's own tables.
  private static func items(of database: GRDB.Database) throws -> [Item: String] {
    // The SQL of FTS5's shadow tables depends on SQLite's version.
    let shadows = try Set(
      String.fetchAll(
        database, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'"))
    let rows = try GRDB.Row.fetchAll(
      database,
      sql: "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%'"
        + " ESCAPE '\\'")
    return Dictionary(
      rows.map { row in
        let (type, name): (String, String) = (row["type"], row["name"])
        let text = shadows.contains(name) ? "" : (row["sql"] as String? ?? "")
        return (Item(type: type, name: name), text.filter { !$0.isWhitespace })
      }, uniquingKeysWith: { first, _ in first })
  }
}
