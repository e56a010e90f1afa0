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

extension Unicode.Scalar {
  /// The canonical decomposition without combining marks: `e` for `é`; nil if there is none.
  package var canonicalBase: String? { value < 0xC0 ? nil : Decompositions.canonical[value] }

  /// The compatibility decomposition without combining marks: `e` for `é`, `fi` for `ﬁ`, `a` for
  /// `ａ`, the letters of a Hangul syllable; nil if there is none.
  package var compatibilityBase: String? {
    if value < 0xA0 { return nil }
    return Decompositions.hangul(value) ?? Decompositions.compatibility[value] ?? canonicalBase
  }
}

/// The table of decompositions by scalar, read when the first text with accents is met.
private enum Decompositions {
  static let canonical = bases(in: DecompositionTable.canonical)
  static let compatibility = bases(in: DecompositionTable.compatibility)

  private static func bases(in table: String) -> [UInt32: String] {
    var bases: [UInt32: String] = [:]
    for entry in table.split(separator: " ") {
      let parts = entry.split(separator: ":")
      guard parts.count == 2 else { continue }
      let isCounting = parts[0].last == "+"
      let base = parts[0].prefix { $0 != "+" }.split(separator: ".").compactMap(scalar)
      for range in parts[1].split(separator: ",") {
        let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 16) }
        guard let first = ends.first, let last = ends.last else { continue }
        for (step, value) in (first...last).enumerated() {
          let shift = isCounting ? UInt32(step) : 0
          bases[value] = String(
            String.UnicodeScalarView(base.compactMap { Unicode.Scalar($0.value + shift) }))
        }
      }
    }
    return bases
  }

  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
  }

  /// The letters of a syllable, as the standard computes them (section 3.12).
  static func hangul(_ value: UInt32) -> String? {
    guard (0xAC00..<0xD7A4).contains(value) else { return nil }
    let index = value - 0xAC00
    let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
    return String(
      String.UnicodeScalarView(
        letters.prefix(index % 28 == 0 ? 2 : 3).compactMap { Unicode.Scalar($0) }))
  }
}
