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
