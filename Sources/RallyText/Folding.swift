extension Character {
  /// The character for comparison and search: without case, without the accents of Latin, Greek
  /// and Cyrillic letters, and without letter width. `É`, `é` and `Ｅ` give `e`, `ß` gives `ss`.
  package var folded: String {
    var folded = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let first = folded.first, scalar.isAccent, first.losesAccents || scalar.losesAccents {
        continue
      }
      for base in scalar.widthAndAccentFolded.unicodeScalars {
        folded.append(contentsOf: base.caseFolded.unicodeScalars)
      }
    }
    return String(folded)
  }
}

extension StringProtocol {
  /// The text for comparison and search, character by character (`Character.folded`).
  package var folded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    return String(flatMap(\.folded))
  }

  /// Whether the text contains another, without regard to case and accents; false for an empty one.
  package func foldedContains(_ other: some StringProtocol) -> Bool {
    !other.isEmpty && folded.contains(other.folded)
  }

  /// Whether the text starts with another, in the same way.
  package func foldedStarts(with other: some StringProtocol) -> Bool {
    !other.isEmpty && folded.hasPrefix(other.folded)
  }
}

extension Unicode.Scalar {
  /// Whether it is of the blocks of Latin, Greek and Cyrillic and their accents; marks of other
  /// scripts make other letters.
  fileprivate var losesAccents: Bool { value < 0x510 }

  /// A mark that takes no room; the others are vowels of Indic scripts.
  fileprivate var isAccent: Bool { isMark && properties.generalCategory != .spacingMark }

  fileprivate var widthAndAccentFolded: String {
    switch value {
    case 0xFF9E: "\u{3099}"
    case 0xFF9F: "\u{309A}"
    case 0xFFE3: String(self)
    case 0xFF00..<0xFFF0: compatibilityBase ?? String(self)
    default:
      canonicalBase.flatMap { $0.unicodeScalars.first?.losesAccents == true ? $0 : nil }
        ?? String(self)
    }
  }

  /// The full case folding of the standard.
  fileprivate var caseFolded: String {
    let lower = properties.lowercaseMapping
    guard properties.changesWhenCaseFolded, lower.unicodeScalars.elementsEqual([self]) else {
      return value == 0x1E9E ? "ss" : lower
    }
    // Lower case that folds all the same: old forms of letters, and ligatures.
    switch value {
    case 0xDF: return "ss"
    case 0x345: return "ι"
    case 0x3C2: return "σ"
    default: return compatibilityBase ?? lower
    }
  }
}
