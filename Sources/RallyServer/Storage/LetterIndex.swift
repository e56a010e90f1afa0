/// The index of SQLite that finds three letters and more anywhere in a name.
///
/// It holds which names have which three letters in a row, and neither the names nor where the
/// letters stand: what it finds is looked at again.
enum LetterIndex {
  /// What is shorter is only looked for at the beginning of names.
  static let fewest = 3

  static func canFind(_ text: String) -> Bool { text.unicodeScalars.count >= fewest }

  /// FTS5's words for three letters and more of any of these texts; nil when all are too short.
  ///
  /// - Parameter limit: How many words there are at most. Of a text with more they are taken at
  ///   equal distances: what they find is looked at again anyway.
  static func query(_ texts: [String], limit: Int) -> String? {
    let texts = texts.filter(canFind).reduce(into: [String]()) { texts, text in
      if !texts.contains(text) { texts.append(text) }
    }
    guard !texts.isEmpty else { return nil }
    let share = max(1, limit / texts.count)
    return texts.map { text in
      let words = words(text)
      let taken = min(share, words.count)
      let chosen = (0..<taken).map { words[$0 * words.count / taken] }
      return "(\(chosen.joined(separator: " AND ")))"
    }.joined(separator: " OR ")
  }

  /// Every three letters in a row, each once, quoted.
  private static func words(_ text: String) -> [String] {
    let scalars = Array(text.unicodeScalars)
    var seen: Set<String> = []
    return (0...scalars.count - fewest).compactMap { start in
      var three = ""
      three.unicodeScalars.append(contentsOf: scalars[start..<start + fewest])
      guard seen.insert(three).inserted else { return nil }
      return "\"\(three.replacing("\"", with: "\"\""))\""
    }
  }
}

extension Migrations {
  /// Kept in step by triggers: it is SQLite's alone, and what changes names need not know of it.
  /// The rows have numbers of their own, since those of `profiles` change when it is compacted.
  static let peopleByLetters = """
    CREATE TABLE people_rows (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
    CREATE VIRTUAL TABLE people_letters USING fts5(
      username, display_key, content='', tokenize='trigram case_sensitive 1', detail='none');
    INSERT INTO people_rows (id) SELECT id FROM profiles;
    INSERT INTO people_letters (rowid, username, display_key)
      SELECT r.row, p.username, p.display_key FROM people_rows r JOIN profiles p ON p.id = r.id;
    CREATE TRIGGER people_come AFTER INSERT ON profiles BEGIN
      INSERT INTO people_rows (id) VALUES (new.id);
      INSERT INTO people_letters (rowid, username, display_key)
        SELECT row, new.username, new.display_key FROM people_rows WHERE id = new.id;
    END;
    CREATE TRIGGER people_change AFTER UPDATE OF username, display_key ON profiles
    WHEN old.username <> new.username OR old.display_key <> new.display_key BEGIN
      INSERT INTO people_letters (people_letters, rowid, username, display_key)
        SELECT 'delete', row, old.username, old.display_key FROM people_rows WHERE id = old.id;
      INSERT INTO people_letters (rowid, username, display_key)
        SELECT row, new.username, new.display_key FROM people_rows WHERE id = new.id;
    END;
    CREATE TRIGGER people_go AFTER DELETE ON profiles BEGIN
      INSERT INTO people_letters (people_letters, rowid, username, display_key)
        SELECT 'delete', row, old.username, old.display_key FROM people_rows WHERE id = old.id;
      DELETE FROM people_rows WHERE id = old.id;
    END;
    """
}
