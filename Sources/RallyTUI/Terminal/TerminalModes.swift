import CTerminalGuard

/// The bytes that put a terminal into the program's modes and back.
///
/// What takes back is complete: it undoes also what was never done, since it may run after a crash.
enum TerminalModes {
  /// Bracketed paste and reports of the window's focus.
  static let enter = "\u{1b}[?2004h\u{1b}[?1004h"
  static let leave = "\u{1b}[?1004l\u{1b}[?2004l" + mouseOff
  /// Buttons, drags, positions beyond column 223.
  static let mouseOn = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
  static let mouseOff = "\u{1b}[?1006l\u{1b}[?1003l\u{1b}[?1002l\u{1b}[?1000l"

  /// Everything that gives the terminal back, in the words of its own description.
  static func undo(capability: (String) -> String?) -> String {
    let plain = capability("sgr0") ?? "\u{1b}[0m"
    let own = ["op", "rmkx", "cnorm", "rmcup"].compactMap(capability).joined()
    return leave + plain + own + "\r"
  }
}
