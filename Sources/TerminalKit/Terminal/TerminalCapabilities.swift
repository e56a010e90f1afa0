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
