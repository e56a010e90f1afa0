/// Suggests a name for a misspelled one.
public enum NameSuggestion {
  /// The most similar name, if the edit distance is at most a third of the longer name's length.
  public static func of(_ written: String, among names: some Sequence<String>) -> String? {
    let letters = Array(folded(written))
    var best: (name: String, distance: Int)?
    for name in names {
      let other = Array(folded(name))
      let distance = distance(letters, other)
      guard distance * 3 <= max(letters.count, other.count) else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (name, distance) }
    }
    return best?.name
  }

  private static func folded(_ name: String) -> String {
    name.lowercased().replacing("_", with: "-")
  }

  /// Optimal string alignment: Levenshtein distance with a swap of neighbours as one edit.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var least = min(rows[i][j] + (one[i] == other[j] ? 0 : 1), row[j] + 1, rows[i][j + 1] + 1)
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
