import CTerminalGuard

/// The bytes that put a terminal into the program's modes and back.
///
/// What takes back is complete: it undoes also what was never done, since it may run after a crash.
struct TerminalModes: Hashable {
  /// Whether the terminal has a title above its window.
  var hasTitle: Bool
  /// Whether it knows kitty's keys.
  var hasKeys = false

  /// Bracketed paste and reports of the window's focus; the former title goes onto the terminal's
  /// stack, also where no title is ever set, so that `leave` takes back no other program's.
  var enter: String { (hasTitle ? Self.pushTitle : "") + "\u{1b}[?2004h\u{1b}[?1004h" }
  var leave: String {
    "\u{1b}[?1004l\u{1b}[?2004l" + Self.mouseOff + (hasTitle ? Self.popTitle : "")
  }

  /// Buttons, drags, positions beyond column 223.
  static let mouseOn = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
  static let mouseOff = "\u{1b}[?1006l\u{1b}[?1003l\u{1b}[?1002l\u{1b}[?1000l"

  /// Kitty's keys: told apart where they would be the same bytes (1), with the key of another layout (4).
  /// Source: "Comprehensive keyboard handling in terminals", progressive enhancement.
  static let keysOn = "\u{1b}[>5u"
  static let keysOff = "\u{1b}[<u"

  /// XTWINOPS 22 and 23 with 2, the window's title. Source: "XTerm Control Sequences".
  static let pushTitle = "\u{1b}[22;2t"
  static let popTitle = "\u{1b}[23;2t"

  /// - Parameter title: Clean text; nil shows the former title again.
  static func title(_ title: String?) -> String {
    guard let title else { return popTitle + pushTitle }
    return "\u{1b}]2;\(title)\u{1b}\\"
  }

  /// Everything that gives the terminal back, in the words of its own description.
  func undo(capability: (String) -> String?) -> String {
    let plain = capability("sgr0") ?? "\u{1b}[0m"
    let own = ["op", "rmkx", "cnorm", "rmcup"].compactMap(capability).joined()
    return leave + plain + own + "\r"
  }
}
