import Foundation

/// SQLite's trigram index (FTS5) of names.
///
/// It stores neither names nor positions, so its results are compared with the text again.
package enum LetterIndex {
  /// Shorter texts are only searched as prefixes.
  static let fewest = 3

  /// No name holds U+0000, which would end the query of the index in the middle of a word.
  package static func canFind(_ text: String) -> Bool {
    text.unicodeScalars.count >= fewest && !text.unicodeScalars.contains("\0")
  }

  /// The FTS5 query for any of these texts; nil if all are too short.
  ///
  /// - Parameter limit: The maximum number of trigrams; from longer texts they are sampled at equal
  ///   distances.
  package static func query(_ texts: [String], limit: Int) -> String? {
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

  /// The distinct trigrams, quoted.
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
  /// Updated by triggers. Rows have their own numbers, since those of `profiles` change with
  /// VACUUM.
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

  /// The names beside the rows of the index: most candidates are refused by the text alone, and to
  /// find each by its id took four times as long.
  static let namesBesideRows = """
    DROP TRIGGER people_come;
    DROP TRIGGER people_change;
    ALTER TABLE people_rows ADD COLUMN username TEXT NOT NULL DEFAULT '';
    ALTER TABLE people_rows ADD COLUMN display_key TEXT NOT NULL DEFAULT '';
    UPDATE people_rows SET username = p.username, display_key = p.display_key
      FROM profiles p WHERE p.id = people_rows.id;
    CREATE TRIGGER people_come AFTER INSERT ON profiles BEGIN
      INSERT INTO people_rows (id, username, display_key)
        VALUES (new.id, new.username, new.display_key);
      INSERT INTO people_letters (rowid, username, display_key)
        SELECT row, username, display_key FROM people_rows WHERE id = new.id;
    END;
    CREATE TRIGGER people_change AFTER UPDATE OF username, display_key ON profiles
    WHEN old.username <> new.username OR old.display_key <> new.display_key BEGIN
      INSERT INTO people_letters (people_letters, rowid, username, display_key)
        SELECT 'delete', row, username, display_key FROM people_rows WHERE id = old.id;
      UPDATE people_rows SET username = new.username, display_key = new.display_key
        WHERE id = old.id;
      INSERT INTO people_letters (rowid, username, display_key)
        SELECT row, username, display_key FROM people_rows WHERE id = new.id;
    END;
    """
}

/// The search and sort key of a name: without case, accents or width.
///
/// Folded here instead of in the database, so that all engines behave alike.
package enum NameKey {
  package static func folded(_ text: String) -> String {
    text.folding(
      options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil
    )
    .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
