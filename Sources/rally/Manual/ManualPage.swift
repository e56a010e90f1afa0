import RallyDomain
import RallySystem

/// Writes a manual page with the macros of man(7).
struct ManualPage {
  private(set) var text: String

  init(_ name: String, section: Int) {
    text = ".\\\" Made by make docs.\n"
    text += ".TH \(Self.quoted(name.uppercased())) \(section) \"\" \"rally\" \"Rally\"\n"
  }

  mutating func heading(_ title: String) { text += ".SH \(Self.quoted(title))\n" }

  mutating func subheading(_ title: String) { text += ".SS \(Self.quoted(title))\n" }

  /// Continues the paragraph.
  mutating func text(_ sentence: String) { text += Self.line(sentence) + "\n" }

  mutating func paragraph(_ sentence: String) {
    text += ".PP\n"
    self.text(sentence)
  }

  /// A term in bold, and its description below.
  mutating func entry(_ term: String, _ meaning: String) {
    text += ".TP\n.B \(Self.argument(term))\n"
    self.text(meaning)
  }

  mutating func lineBreak() { text += ".br\n" }

  /// Lines without filling, for samples.
  mutating func verbatim(_ lines: [String]) {
    text += ".PP\n.nf\n"
    for line in lines { text += Self.line(line) + "\n" }
    text += ".fi\n"
  }

  // MARK: What roff takes for its own

  private static func quoted(_ text: String) -> String {
    "\"\(argument(text))\""
  }

  /// Escapes quotes, which delimit a request's arguments.
  private static func argument(_ text: String) -> String {
    escaped(text).replacing("\"", with: "\\(dq")
  }

  /// Escapes a leading `.` or `'`, which would begin a request.
  private static func line(_ text: String) -> String {
    let escaped = escaped(text)
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
  }

  /// Escapes backslashes and hyphens, and carets and tildes, which would become accents.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "`": escaped += "\\(ga"
      case "\n": escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
