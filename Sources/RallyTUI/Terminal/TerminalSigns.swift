/// Which signs a terminal can be trusted with, before anything is drawn on it.
enum TerminalSigns {
  /// Whether this type shows letters and frames and little else: the console of a kernel, whose font
  /// has 256 or 512 signs, and terminals made of hardware.
  ///
  /// - Parameter type: As `TERM` names it.
  static func areFew(onType type: String) -> Bool {
    let name = type.prefix { $0 != "-" }
    if ["linux", "ansi", "pcansi", "dumb", "sun", "wsvt25"].contains(name) { return true }
    if name.hasPrefix("cons") { return true }
    // vt52, vt100, vt220am; vte is another family.
    return name.hasPrefix("vt") && name.dropFirst(2).first?.isNumber == true
  }

  /// Whether the terminal tells keys by kitty's protocol when it is asked to. Others would ignore the
  /// request, but what passes it on (a terminal within another one) may not.
  ///
  /// - Parameter environment: Says more than a type that was chosen for machines that know no better.
  static func hasKeys(onType type: String, environment: [String: String]) -> Bool {
    guard environment["TMUX"] == nil, environment["STY"] == nil else { return false }
    if environment["KITTY_WINDOW_ID"] != nil { return true }
    if ["ghostty", "WezTerm"].contains(environment["TERM_PROGRAM"]) { return true }
    return ["kitty", "ghostty", "foot", "wezterm", "alacritty"].contains {
      type == $0 || type == "xterm-\($0)" || type.hasPrefix("\($0)-")
    }
  }

  /// Whether the locale's characters are UTF-8; also where no locale is set.
  ///
  /// - Parameter environment: The first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty counts.
  static func isUnicode(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }
    guard let name = names.first(where: { !$0.isEmpty }) else { return true }
    let charset = name.uppercased().filter { $0.isLetter || $0.isNumber || $0 == "." }
    return charset.contains(".UTF8")
  }
}
