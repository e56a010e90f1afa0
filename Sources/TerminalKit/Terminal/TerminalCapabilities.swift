import RallyText

/// Guesses a terminal's capabilities from its type and environment.
package enum TerminalCapabilities {
  /// Whether this type shows little more than letters and box drawing: kernel consoles, whose fonts
  /// have 256 or 512 glyphs, and hardware terminals.
  ///
  /// - Parameter type: The value of `TERM`.
  package static func isLimited(type: String) -> Bool {
    let name = type.prefix { $0 != "-" }
    if ["linux", "ansi", "pcansi", "dumb", "sun", "wsvt25"].contains(name) { return true }
    if name.hasPrefix("cons") { return true }
    // vt52, vt100, vt220am, but not vte.
    return name.hasPrefix("vt") && name.dropFirst(2).first?.isNumber == true
  }

  /// Whether a terminal draws 24-bit colours, whatever number its description has.
  ///
  /// - Parameters:
  ///   - type: The value of `TERM`.
  ///   - extensions: `RGB` and `Tc`, as far as the description has them.
  ///   - environment: Reads `COLORTERM`, which terminals set. GNU screen hands it on and understands
  ///     256 colours only.
  package static func hasDirectColors(
    type: String, extensions: [String], environment: [String: String]
  ) -> Bool {
    if !extensions.isEmpty { return true }
    guard !isLimited(type: type), environment["STY", default: ""].isEmpty else { return false }
    return ["truecolor", "24bit"].contains(environment["COLORTERM", default: ""].lowercased())
  }

  /// The locale of characters: the first non-empty one of `LC_ALL`, `LC_CTYPE` and `LANG`.
  package static func locale(_ environment: [String: String]) -> String? {
    ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  /// Whether the locale uses UTF-8; true if no locale is set.
  package static func isUnicode(_ environment: [String: String]) -> Bool {
    guard let name = locale(environment) else { return true }
    let charset = name.drop { $0 != "." }.filter { $0.isLetter || $0.isNumber }
    return charset.uppercased().hasPrefix("UTF8")
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
