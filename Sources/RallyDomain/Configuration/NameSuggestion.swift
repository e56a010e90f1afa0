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

  /// Levenshtein distance.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, candidate) in other.enumerated() {
        let replaced = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
      }
    }
    return row[other.count]
  }
}
