import RallyText

/// ASCII replacements, of equal width, for symbols that a screen reader would spell out. The
/// meaning of each symbol is always given in words beside it.
enum PlainGlyphs {
  /// The text for a screen reader, of the same width; separator dots become commas.
  package static func text(_ text: some StringProtocol) -> String {
    String(String(text).replacing(" · ", with: ",  ").map { replacement(for: $0) ?? $0 })
  }

  private static func replacement(for character: Character) -> Character? {
    switch character {
    case "●", "◐": "*"
    case "○": "o"
    case "◌": "."
    case "·": ","
    case "◆": "#"
    case "◇": "o"
    case "↻": "~"
    case "▸": ">"
    case "▲", "■": "!"
    case "✓": "+"
    case "•": "*"
    case "▐": "["
    case "▌": "]"
    case "“", "”": "\""
    case "–": "-"
    default: nil
    }
  }
}

/// Text substitutes for emoji: `:party popper:`, or `:PT:` for a flag.
///
/// Source: character names of the Unicode Character Database, truncated after a word.
enum EmojiText {
  /// Maximum number of letters between the colons.
  static let limit = 20

  /// - Returns: ASCII text; nil if the cluster is not an emoji.
  package static func text(for character: Character) -> String? {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, first.value > 0x7F || scalars.count > 1 else { return nil }
    if (0x1F1E6...0x1F1FF).contains(first.value) {
      let letters = scalars.compactMap { Unicode.Scalar($0.value &- 0x1F1E6 &+ 0x41) }
        .filter { ("A"..."Z").contains($0) }
      return ":" + String(String.UnicodeScalarView(letters)) + ":"
    }
    guard CellWidth.isPicture(character) || first.properties.isEmojiPresentation else { return nil }
    if first.isASCII { return ":\(first):" }
    // A family lists its members; skin tones are omitted.
    let members = scalars.filter { $0.properties.isEmoji && !$0.properties.isEmojiModifier }
    let words = members.flatMap { ($0.properties.name ?? "").lowercased().split(separator: " ") }
    var name = ""
    for word in words {
      guard name.utf8.count + word.utf8.count + 1 <= limit else { break }
      name += name.isEmpty ? String(word) : " \(word)"
    }
    if name.isEmpty { name = words.first.map { String($0.prefix(limit)) } ?? "emoji" }
    return ":\(name):"
  }
}

/// ASCII substitutes, of the same width, for symbols that a terminal cannot show.
package enum AsciiGlyphs {
  private static let substitutes: [Character: Character] = [
    "●": "*", "○": "o", "◌": ".", "◆": "#", "◇": "o", "↟": "^", "▸": ">", "✓": "v", "…": ".",
    "•": "*", "·": ".",
    "▰": "#", "▱": "-", "▮": "#", "▯": "-", "⇄": "=", "▐": "[", "▌": "]", "▲": "^", "■": "#",
    "◐": "~", "◔": "o", "◑": "O", "◕": "O", "↵": "<", "–": "-",
    "’": "'", "°": "o", "×": "x", "±": "+", "«": "<", "»": ">", "—": "-", "‘": "'", "“": "\"",
    "”": "\"", "↑": "^", "↓": "v", "←": "<", "→": ">", "↻": "@",
    "ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ı": "i", "ß": "s", "æ": "a",
  ]

  /// Whether console fonts lack the symbol: marks and braille. They have letters and box drawing.
  package static func replaces(_ scalar: Unicode.Scalar) -> Bool {
    (0x2800...0x28FF).contains(scalar.value)
      || !scalar.properties.isAlphabetic && scalar.value > 0xFF
        && substitutes[Character(scalar)] != nil
  }

  /// A text with ASCII in as many cells for everything beyond it.
  package static func text(_ text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return text.reduce(into: "") { result, character in
      if character.isASCII {
        result.append(character)
      } else if case let width = CellWidth.width(of: character), width > 0 {
        result += substitute(for: String(character), width: width)
      }
    }
  }

  /// A text with ASCII for the marks of ours that are in it, and nothing else changed.
  static func marks(of text: String) -> String {
    guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
    return String(text.map { $0.isLetter ? $0 : substitutes[$0] ?? $0 })
  }

  /// A text of exactly `width` cells for `text`.
  package static func substitute(for text: String, width: Int) -> String {
    let sign: Character
    if let character = text.first, let known = substitutes[character] {
      sign = known
    } else if let first = text.unicodeScalars.first,
      case let letter = first.canonicalBase?.unicodeScalars.first ?? first, letter.isASCII
    {
      sign = Character(letter)
    } else if let scalar = text.unicodeScalars.first {
      switch scalar.value {
      case 0x2500, 0x2501, 0x2504, 0x2505: sign = "-"
      case 0x2502, 0x2503: sign = "|"
      case 0x2500...0x257F: sign = "+"
      case 0x2580...0x259F: sign = "#"
      case 0x2800: sign = " "
      case 0x2801...0x28FF: sign = "."
      default: sign = "?"
      }
    } else {
      sign = " "
    }
    return String(sign) + String(repeating: " ", count: max(0, width - 1))
  }
}
