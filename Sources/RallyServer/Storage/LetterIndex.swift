/// The index of SQLite that finds three letters and more anywhere in a name.
///
/// It holds which names have which three letters in a row, and neither the names nor where the
/// letters stand: what it finds is looked at again.
enum LetterIndex {
  /// What is shorter is only looked for at the beginning of names.
  static let fewest = 3

  static func canFind(_ text: String) -> Bool { text.unicodeScalars.count >= fewest }

  /// FTS5's words for every three letters of any of these texts; nil when all are too short.
  static func query(_ texts: [String]) -> String? {
    let parts = texts.filter(canFind).map { text in
      let scalars = Array(text.unicodeScalars)
      let letters = (0...scalars.count - fewest).map { start in
        var three = ""
        three.unicodeScalars.append(contentsOf: scalars[start..<start + fewest])
        return "\"\(three.replacing("\"", with: "\"\""))\""
      }
      return "(\(letters.joined(separator: " AND ")))"
    }
    return parts.isEmpty ? nil : parts.joined(separator: " OR ")
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
