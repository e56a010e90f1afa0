import TerminalKit

/// The sequences by which a terminal is taken and given away, and what is set in between.
///
/// ncurses writes none of them. Its own would save the cursor and the title a second time, and
/// their order would leave the keyboard's flags behind on the wrong screen.
struct TerminalModes: Hashable {
  /// Whether the terminal supports window titles.
  let hasTitle: Bool
  /// Whether it has said that it has kitty's keyboard protocol.
  var hasKeys = false
  /// Whether it has said that it reports when the desktop switches to light or dark colours.
  var hasScheme = false
  private let screen: Screen

  /// The rows of the window.
  var rows = 0
  var isMouseOn = false
  /// Whether kitty's keyboard protocol says with each letter which key it is on.
  var hasKeyPlaces = false
  /// Cleaned text; nil while the previous title is shown.
  var title: String?

  /// What terminfo says of the terminal's screens, keypad and cursor.
  private struct Screen: Hashable {
    var enter = ""
    var leave = ""
    /// Enters the screen where that may be shown already.
    var enterAgain = ""
    var keypadOn = ""
    var keypadOff = ""
    var cursorOff = ""
    var cursorOn = ""
    /// No attributes and no colours.
    var plain = ""
    var allRowsScroll = ""
    var clear = ""
    var eraseLine = ""
    var placesByANSI = false
  }

  /// - Parameter capability: A string of terminfo, without delays.
  init(hasTitle: Bool, capability: (String) -> String?) {
    self.hasTitle = hasTitle
    // xterm's capabilities push and pop the title as well: once is enough.
    func withoutTitle(_ name: String) -> String {
      var text = capability(name) ?? ""
      for part in ["\u{1b}[22;0;0t", "\u{1b}[23;0;0t"] {
        while let range = text.firstRange(of: part) { text.removeSubrange(range) }
      }
      return text
    }
    var screen = Screen(
      enter: withoutTitle("smcup"), leave: withoutTitle("rmcup"),
      keypadOn: capability("smkx") ?? "", keypadOff: capability("rmkx") ?? "",
      cursorOff: capability("civis") ?? "", cursorOn: capability("cnorm") ?? "",
      plain: (capability("sgr0") ?? "\u{1b}[0m") + (capability("op") ?? ""),
      // DECSTBM without rows. A region that was set for a window of another height would stay.
      allRowsScroll: capability("csr")?.hasPrefix("\u{1b}[") == true ? "\u{1b}[r" : "",
      clear: capability("clear") ?? "", eraseLine: capability("el") ?? "",
      placesByANSI: capability("cup") == "\u{1b}[%i%p1%d;%p2%dH")
    // 1049 saves the cursor, and what it saved at first would be lost.
    if screen.enter.contains("\u{1b}[?1049h") || screen.enter.contains("\u{1b}[?1047h") {
      screen.enterAgain = "\u{1b}[?1047h"
    } else if screen.enter.contains("\u{1b}[?47h") {
      screen.enterAgain = "\u{1b}[?47h"
    }
    self.screen = screen
  }

  // MARK: Taking and giving

  /// Takes the terminal: its title is pushed even if none is set later, so that the pop in `give`
  /// does not remove another program's.
  ///
  /// What a program left that crashed is not saved with the cursor, to come back at the end. The
  /// keyboard's flags follow the screen, since each screen has a stack of its own.
  var take: String {
    (hasTitle ? Self.pushTitle : "") + screen.plain + screen.enter + screen.keypadOn
      + screen.cursorOff
      + Self.reports + (hasKeys ? keysOn : "") + (hasScheme ? Self.schemeOn : "")
      + (isMouseOn ? Self.mouseOn : Self.mouseOff)
      + shownTitle
  }

  /// Sets all modes once more, in this terminal or in another one that was attached in its place
  /// (dtach, abduco, reptyr). Pushes and saves nothing.
  var again: String {
    screen.enterAgain + screen.keypadOn + screen.cursorOff + Self.reports
      + (hasKeys ? keysAgain : "") + (hasScheme ? Self.schemeOn : "")
      + (isMouseOn ? Self.mouseOn : "") + shownTitle
  }

  /// Gives the terminal away, as it was found. Complete: it also resets modes that were never set,
  /// since it may run after a crash.
  ///
  /// The screen is cleared, since consoles without a second one would go on to show where friends
  /// are. The footer's row by itself first, on which such a console has its prompt.
  var give: String {
    Self.reportsOff + Self.mouseOff + (hasKeys ? Self.keysOff : "")
      + (hasScheme ? Self.schemeOff : "") + screen.plain + screen.allRowsScroll + lastRow
      + screen.clear + screen.keypadOff + screen.cursorOn + screen.leave
      + (hasTitle ? Self.popTitle : "") + "\r"
  }

  private var lastRow: String {
    screen.placesByANSI && rows > 0 ? "\u{1b}[\(rows);1H" + screen.eraseLine : ""
  }

  private var shownTitle: String { hasTitle && title != nil ? Self.title(title) : "" }

  // MARK: Modes

  /// Bracketed paste and focus reports.
  static let reports = "\u{1b}[?2004h\u{1b}[?1004h"
  static let reportsOff = "\u{1b}[?1004l\u{1b}[?2004l"

  /// Button and drag reports in SGR encoding, for positions beyond column 223.
  static let mouseOn = "\u{1b}[?1000h\u{1b}[?1002h\u{1b}[?1006h"
  static let mouseOff = "\u{1b}[?1006l\u{1b}[?1003l\u{1b}[?1002l\u{1b}[?1000l"

  /// Kitty's keyboard flags: disambiguate escape codes (1) and report alternate keys (4). For the
  /// places of letters also report all keys as escape codes (8), with their text (16). Source:
  /// "Comprehensive keyboard handling in terminals", progressive enhancement.
  private var keyFlags: Int { hasKeyPlaces ? 29 : 5 }
  var keysOn: String { "\u{1b}[>\(keyFlags)u" }
  static let keysOff = "\u{1b}[<u"
  /// Sets the same flags in place of the present ones.
  var keysAgain: String { "\u{1b}[=\(keyFlags);1u" }

  /// Reports of the desktop's switch between light and dark colours.
  static let schemeOn = "\u{1b}[?2031h"
  static let schemeOff = "\u{1b}[?2031l"

  /// XTWINOPS 22 and 23 with 2: push and pop the window title. Source: "XTerm Control Sequences".
  static let pushTitle = "\u{1b}[22;2t"
  static let popTitle = "\u{1b}[23;2t"

  /// - Parameter title: Cleaned text; nil restores the previous title.
  static func title(_ title: String?) -> String {
    guard let title else { return popTitle + pushTitle }
    return "\u{1b}]2;\(title)\u{1b}\\"
  }
}
