import RallyDomain
import RallySystem
import RallyTUI

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

/// `rally-config(5)`, generated from the table of settings.
enum ConfigurationPage {
  static var text: String {
    var page = ManualPage("rally-config", section: 5)
    page.heading("NAME")
    page.text("rally-config - the configuration of rally")
    page.heading("SYNOPSIS")
    page.text("$XDG_CONFIG_HOME/rally/config.toml")
    page.heading("DESCRIPTION")
    page.text(
      "The configuration is a file in TOML (https://toml.io). It belongs to you: rally reads it and "
        + "never writes over it. Without it everything has its default.")
    page.paragraph(
      "rally config sample prints a file with every setting and its default, each switched off by a "
        + "#. rally config edit opens the file in $VISUAL or $EDITOR, and begins it with the sample "
        + "where there is none. rally config check examines it; rally config dump prints what "
        + "counts.")
    page.paragraph(
      "A running rally takes most changes as soon as the file is saved. What is unknown or wrong is "
        + "passed over and said with its line and column. A file that cannot be read at all leaves "
        + "everything as it was.")
    page.paragraph(
      "rally config set KEY VALUE and the settings of the interface (g s, then w) keep what you "
        + "choose in settings.toml beside the configuration, in the same format but without keys. "
        + "That file is rally's. What the configuration sets wins; rally config check names it. "
        + "rally config unset KEY forgets a setting again. With --config FILE settings.toml is "
        + "neither read nor written.")
    for section in ConfigurationSetting.sections where section != ConfigurationSetting.keysSection {
      page.heading("[\(section)]")
      page.text(ConfigurationSetting.summary(ofSection: section))
      for setting in ConfigurationSetting.all where setting.section == section {
        page.entry(
          "\(setting.key) = \(setting.defaultValue)",
          setting.summary
            + (setting.isLive ? "" : " A change counts from the next start."))
        page.lineBreak()
        page.text("Values: \(setting.values).")
      }
    }
    page.heading("[\(ConfigurationSetting.keysSection)]")
    page.text(ConfigurationSetting.summary(ofSection: ConfigurationSetting.keysSection))
    page.paragraph(
      "An action is named as rally-keys(7) names it. The same keys may lead to several actions when "
        + "these are never reached on one screen; where they are, rally says so at its start and in "
        + "rally config check. So it does for keys that are the beginning of others.")
    page.verbatim([
      "[keys]", "refresh = [\"r\", \"F5\"]", "first = \"g g\"", "redo = \"none\"",
      "friends.find = \"n\"",
    ])
    page.heading("FILES")
    page.entry(
      "$XDG_CONFIG_HOME/rally/config.toml", "The configuration; ~/.config where it is not set.")
    page.entry("$XDG_CONFIG_HOME/rally/settings.toml", "What rally keeps for you.")
    page.entry("DIR/config/config.toml", "The configuration with --data DIR.")
    page.heading("SEE ALSO")
    page.text("rally(1), rally-keys(7)")
    return page.text
  }
}
