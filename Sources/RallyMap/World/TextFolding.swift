import Foundation

/// Makes texts comparable: what a person types and what a city is called.
///
/// The generator folds the cities' names by the same rule (`Scripts/worldmap/cities.py`), so that
/// nothing is folded while one types; a test holds both against each other.
enum TextFolding {
  /// Letters that have no decomposition into a base letter and an accent.
  private static let letters: [Unicode.Scalar: String] = [
    "æ": "ae", "ð": "d", "đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "œ": "oe", "ß": "ss",
    "þ": "th", "ə": "e", "ŋ": "n",
  ]
  private static let apostrophes: Set<Unicode.Scalar> = ["'", "’", "‘", "ʼ", "`", "ʻ"]

  /// Lower case, no accents, words of a-z and 0-9 with one blank between. A letter that is neither
  /// parts words.
  static func folded(_ text: String) -> String {
    var words = ""
    var isGap = false
    for scalar in text.lowercased().decomposedStringWithCompatibilityMapping.unicodeScalars {
      let piece = letters[scalar] ?? String(scalar)
      if piece.unicodeScalars.allSatisfy(isPlain) {
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

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.canonicalCombiningClass != .notReordered
  }
}
