import RallyText
import RallyWire

/// Texts that were stored when only their grapheme clusters were counted, and what is cut of them.
///
/// Written in the SQL of the step that it is: later steps change the tables.
enum StoredTexts {
  /// A table with a column `id`, and those of its columns that people fill in.
  private struct Texts {
    var table: String
    var columns: [(name: String, limits: TextLimits)]
  }

  private static let texts = [
    Texts(table: "profiles", columns: [("bio", .bio)]),
    Texts(table: "missions", columns: [("title", .title), ("brief", .brief)]),
    Texts(table: "objectives", columns: [("title", .title)]),
    Texts(table: "mission_activity", columns: [("objective_title", .title), ("text", .line)]),
  ]
  /// Rows that are held at once.
  private static let batch = 500

  /// Cleans every text that people wrote and cuts it to its limits, at whole clusters.
  static func cut(in database: Database) throws {
    for texts in texts {
      let names = texts.columns.map(\.name)
      try forEachRow(of: texts.table, names, in: database) { id, row in
        for (index, column) in texts.columns.enumerated() {
          guard let text: String = row[index + 1] else { continue }
          let shown = column.limits.shown(text)
          guard shown != text else { continue }
          try database.execute(
            sql: "UPDATE \(texts.table) SET \(column.name) = ? WHERE id = ?",
            arguments: [shown, id])
        }
      }
    }
    try cutNames(in: database)
  }

  /// Display names, with the keys that they are found by. Where nothing is seen of a name, the
  /// username takes its place.
  private static func cutNames(in database: Database) throws {
    try forEachRow(of: "profiles", ["display_name", "username"], in: database) { id, row in
      let (name, username): (String, String) = (row[1], row[2])
      let shown = TextLimits.name.shown(name)
      let new = shown.drawsNothing ? username : shown
      guard new != name else { return }
      let key = NameKey.folded(new)
      try database.execute(
        sql: "UPDATE profiles SET display_name = ?, display_key = ? WHERE id = ?",
        arguments: [new, key, id])
      try database.execute(
        sql: "UPDATE friend_names SET name = ? WHERE friend = ?", arguments: [key, id])
    }
  }

  /// - Parameter body: Takes the id and the row, whose first column it is.
  private static func forEachRow(
    of table: String, _ columns: [String], in database: Database,
    _ body: (String, Row) throws -> Void
  ) throws {
    var last = ""
    while true {
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT id, \(columns.joined(separator: ", ")) FROM \(table) WHERE id > ?
          ORDER BY id LIMIT \(batch)
          """, arguments: [last])
      for row in rows {
        last = row[0]
        try body(last, row)
      }
      if rows.count < batch { return }
    }
  }
}
