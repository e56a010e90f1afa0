/// ASCII for what a screen reader would spell out, cell for cell: frames are left out, marks become
/// letters of the keyboard. Words say the same beside them everywhere.
enum PlainGlyphs {
  static func replacement(for character: Character) -> Character? {
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
