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

/// Which signs text may have that is printed line by line.
public enum PrintedMarks: Hashable, Sendable {
  /// All of Unicode.
  case all
  /// None of Rally's own marks, which a screen reader would spell out; what people wrote stays.
  case plain
  /// ASCII alone, for a locale that is not UTF-8: letters lose their accents, and a `?` stands for
  /// what has no such letter.
  case ascii

  public init(isPlain: Bool, environment: [String: String]) {
    self = !TerminalCapabilities.isUnicode(environment) ? .ascii : isPlain ? .plain : .all
  }

  /// The text with other signs, in as many cells but for the sign of a copyright.
  public func text(_ text: String) -> String {
    switch self {
    case .all: text
    case .plain: AsciiGlyphs.marks(of: PlainGlyphs.text(PrintedMarks.spelled(text)))
    case .ascii: AsciiGlyphs.text(PrintedMarks.spelled(text))
    }
  }

  private static func spelled(_ text: String) -> String { text.replacing("©", with: "(c)") }
}
