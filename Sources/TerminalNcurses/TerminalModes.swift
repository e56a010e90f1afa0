import CTerminalGuard

/// The sequences that set and reset the program's terminal modes.
///
/// The reset sequence is complete: it also resets modes that were never set, since it may run after
/// a crash.
struct TerminalModes: Hashable {
  /// Whether the terminal supports window titles.
  var hasTitle: Bool
  /// Whether it supports kitty's keyboard protocol.
  package var hasKeys = false

  /// Enables bracketed paste and focus reports, and pushes the window title, even if none is set
  /// later, so that the pop in `leave` does not remove another program's title.
  var enter: String { (hasTitle ? Self.pushTitle : "") + "\u{1b}[?2004h\u{1b}[?1004h" }
  var leave: String {
    "\u{1b}[?1004l\u{1b}[?2004l" + Self.mouseOff + (hasTitle ? Self.popTitle : "")
  }

  /// Button and drag reports in SGR encoding, for positions beyond column 223.
  static let mouseOn = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
  static let mouseOff = "\u{1b}[?1006l\u{1b}[?1003l\u{1b}[?1002l\u{1b}[?1000l"

  /// Pushes kitty's keyboard flags: disambiguate escape codes (1) and report alternate keys (4).
  /// Source: "Comprehensive keyboard handling in terminals", progressive enhancement.
  static let keysOn = "\u{1b}[>5u"
  static let keysOff = "\u{1b}[<u"

  /// XTWINOPS 22 and 23 with 2: push and pop the window title. Source: "XTerm Control Sequences".
  static let pushTitle = "\u{1b}[22;2t"
  static let popTitle = "\u{1b}[23;2t"

  /// - Parameter title: Cleaned text; nil restores the previous title.
  static func title(_ title: String?) -> String {
    guard let title else { return popTitle + pushTitle }
    return "\u{1b}]2;\(title)\u{1b}\\"
  }

  /// All bytes that restore the terminal, using its terminfo capabilities.
  func undo(capability: (String) -> String?) -> String {
    let plain = capability("sgr0") ?? "\u{1b}[0m"
    let own = ["op", "rmkx", "cnorm", "rmcup"].reduce(into: "") { $0 += capability($1) ?? "" }
    return leave + plain + Self.wholeScreenScrolls(capability) + own + "\r"
  }

  /// DECSTBM without rows: all rows scroll. A region that was set for a window of another height
  /// would stay. It moves the cursor, which is therefore saved and restored.
  private static func wholeScreenScrolls(_ capability: (String) -> String?) -> String {
    guard capability("csr")?.hasPrefix("\u{1b}[") == true, let save = capability("sc"),
      let restore = capability("rc")
    else { return "" }
    return save + "\u{1b}[r" + restore
  }
}
