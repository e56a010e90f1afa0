/// ASCII for what a screen reader would spell out, cell for cell: frames are left out, marks become
/// letters of the keyboard. Words say the same beside them everywhere.
enum PlainGlyphs {
  /// A text as it is read out, of the same width: what a dot parts is parted by a comma.
  static func text(_ text: some StringProtocol) -> String {
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
