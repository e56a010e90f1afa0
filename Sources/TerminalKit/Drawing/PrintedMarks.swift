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
