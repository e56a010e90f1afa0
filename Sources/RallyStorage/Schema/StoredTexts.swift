import RallyText
import RallyWire

/// A migration step that cuts texts stored before byte limits existed.
///
/// Uses the SQL of that step, since later steps change the tables.
enum StoredTexts {
  /// A table with a column `id`, and its text columns.
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
  private static let batch = 500

  /// Cleans texts and cuts them to their limits, at grapheme clusters.
  static func cut(in database: Database) throws {
    for texts in texts {
      let names = texts.columns.map(\.name)
      try forEachRow(of: texts.table, names, in: database) { id, row in
        for column in texts.columns {
          guard let text: String = try row[column.name] else { continue }
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

  /// Cuts display names and updates their search keys. Invisible names are replaced by the
  /// username.
  private static func cutNames(in database: Database) throws {
    try forEachRow(of: "profiles", ["display_name", "username"], in: database) { id, row in
      let (name, username): (String, String) = (try row["display_name"], try row["username"])
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

  /// - Parameter body: Takes the id and the row.
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
        last = try row["id"]
        try body(last, row)
      }
      if rows.count < batch { return }
    }
  }
}
