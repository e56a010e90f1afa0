/// Decodes mouse reports: SGR (1006), and urxvt's (1015) for terminals without SGR. Source: "XTerm
/// Control Sequences", mouse tracking.
enum MouseReport {
  /// - Parameter parameters: From `ESC [ < code ; column ; row M`, or `m` for a release.
  static func sgr(_ parameters: SequenceParameters, isRelease: Bool) -> MouseEvent? {
    guard parameters.count == 3, let code = parameters[0] else { return nil }
    return event(code, parameters, isRelease: isRelease)
  }

  /// - Parameter parameters: From `ESC [ code+32 ; column ; row M`; button 3 is the release of any
  ///   button.
  static func urxvt(_ parameters: SequenceParameters) -> MouseEvent? {
    guard parameters.count == 3, let sent = parameters[0], sent >= 32 else { return nil }
    let code = sent - 32
    let isRelease = code & 0b1110_0011 == 3
    return event(isRelease ? code - 3 : code, parameters, isRelease: isRelease)
  }

  private static func event(
    _ code: Int, _ parameters: SequenceParameters, isRelease: Bool
  ) -> MouseEvent? {
    // Ignore extra buttons (128).
    guard code & ~0x7F == 0, let column = parameters[1], let row = parameters[2],
      (1...10_000).contains(column), (1...10_000).contains(row)
    else { return nil }
    var modifiers: KeyModifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let button = code & 3
    let kind: MouseEvent.Kind
    if code & 64 != 0 {
      // 2 and 3 scroll horizontally.
      guard button < 2, !isRelease else { return nil }
      kind = button == 0 ? .wheelUp : .wheelDown
    } else if code & 32 != 0 {
      kind = button == 3 ? .move : .drag
    } else {
      kind = isRelease ? .release : .press
    }
    return MouseEvent(
      kind: kind, button: code & 64 != 0 ? 0 : button,
      position: Point(x: column - 1, y: row - 1), modifiers: modifiers)
  }
}
