import RallyText

/// Folds case, accents and punctuation, to compare a search text with names.
public enum TextFolding {
  /// Letters without a Unicode decomposition into base letter and accent.
  private static let letters: [Unicode.Scalar: String] = [
    "æ": "ae", "ð": "d", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "œ": "oe", "ß": "ss",
    "þ": "th", "ə": "e", "ŋ": "n",
  ]
  private static let apostrophes: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "`", "ʻ"]

  /// Lower case without accents: words of a-z and 0-9, separated by one space. Any other character
  /// separates words; apostrophes are dropped.
  ///
  /// The generator folds city names with the same rules (`Scripts/worldmap/cities.py`), so that a
  /// search only folds its own text; a test compares both implementations.
  static func folded(_ text: String) -> String { folded(text, keeping: isPlain) }

  /// The same for names in any script: their letters, vowel signs and digits are kept too.
  public static func foldedInAnyScript(_ text: String) -> String {
    folded(text) { isPlain($0) || !isMark($0) && isLetter($0) }
  }

  private static func folded(
    _ text: String, keeping isKept: (Unicode.Scalar) -> Bool
  ) -> String {
    var words = ""
    var isGap = false
    let bases = text.lowercased().unicodeScalars.map { $0.compatibilityBase ?? String($0) }
    for scalar in bases.joined().unicodeScalars {
      let piece = letters[scalar] ?? String(scalar)
      if piece.unicodeScalars.allSatisfy(isKept) {
        if isGap, !words.isEmpty { words += " " }
        isGap = false
        words += piece
      } else if !isMark(scalar), !apostrophes.contains(scalar) {
        isGap = true
      }
    }
    return words
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass != .notReordered
  }
}
