import RallyText

/// Parses sequences that start with `ESC [` or `ESC O`, of xterm and its variants: kitty, rxvt, the
/// Linux console, tmux and screen.
///
/// Sources: "XTerm Control Sequences" (PC-style function keys, bracketed paste 2004, focus 1004);
/// kitty's keyboard protocol; terminfo of rxvt-unicode and linux.
enum ControlSequence {
  enum Parsed {
    case onlyIntroducer
    case incomplete(length: Int)
    case pasteBegins(length: Int)
    /// A complete sequence; the event is nil if it is unknown.
    case event(InputEvent?, length: Int)
  }

  static func parse(_ bytes: ArraySlice<UInt8>) -> Parsed {
    let start = bytes.startIndex
    let body = bytes.dropFirst(2)
    guard let first = body.first else { return .onlyIntroducer }
    if first == UInt8(ascii: "[") { return console(bytes) }
    guard let index = end(of: body) else { return .incomplete(length: bytes.count) }
    let final = bytes[index]
    guard (0x40...0x7E).contains(final) || final == UInt8(ascii: "$") else {
      // Interrupted by another byte, which is decoded on its own.
      return .event(nil, length: index - start)
    }
    let length = index + 1 - start
    let inside = bytes[(start + 2)..<index]
    if final == UInt8(ascii: "M"), inside.isEmpty {
      // An X10 mouse report has three bytes after the letter.
      return bytes.count < length + 3
        ? .incomplete(length: bytes.count) : .event(nil, length: length + 3)
    }
    if first == UInt8(ascii: "<") {
      return .event(mouse(inside.dropFirst(), final), length: length)
    }
    guard let parameters = SequenceParameters(inside) else { return .event(nil, length: length) }
    if final == UInt8(ascii: "~"), parameters[0] == 200 { return .pasteBegins(length: length) }
    return .event(event(parameters, final), length: length)
  }

  /// The index of the final byte; nil if it has not arrived.
  private static func end(of body: ArraySlice<UInt8>) -> Int? {
    let index = body.firstIndex { !(0x20...0x3F).contains($0) }
    // rxvt ends Shift keys with `$`, which elsewhere is an intermediate byte.
    let digits = body.prefix(while: \.isASCIIDigit)
    if !digits.isEmpty, digits.endIndex < body.endIndex,
      body[digits.endIndex] == UInt8(ascii: "$")
    {
      return digits.endIndex
    }
    return index
  }

  /// Function keys of the Linux console: `ESC [ [ A`.
  private static func console(_ bytes: ArraySlice<UInt8>) -> Parsed {
    guard bytes.count > 3 else { return .incomplete(length: bytes.count) }
    let letter = bytes[bytes.startIndex + 3]
    guard (0x20...0x7E).contains(letter) else { return .event(nil, length: 3) }
    let number = Int(letter) - 0x40
    return .event((1...5).contains(number) ? .key(KeyChord(.function(number))) : nil, length: 4)
  }

  private static func mouse(_ body: ArraySlice<UInt8>, _ final: UInt8) -> InputEvent? {
    guard let parameters = SequenceParameters(body) else { return nil }
    switch final {
    case UInt8(ascii: "M"): return MouseReport.sgr(parameters, isRelease: false).map { .mouse($0) }
    case UInt8(ascii: "m"): return MouseReport.sgr(parameters, isRelease: true).map { .mouse($0) }
    default: return nil
    }
  }

  private static func event(_ parameters: SequenceParameters, _ final: UInt8) -> InputEvent? {
    switch (final, parameters.count) {
    case (UInt8(ascii: "I"), 0): .focus(true)
    case (UInt8(ascii: "O"), 0): .focus(false)
    case (UInt8(ascii: "M"), _): MouseReport.urxvt(parameters).map { .mouse($0) }
    case (UInt8(ascii: "u"), _): kitty(parameters)
    default: key(parameters, final).map { .key($0) }
    }
  }

  // MARK: Keys

  /// The key of `ESC O`, an optional modifier, and a letter (SS3).
  static func ss3(_ letter: UInt8, modifier: Int? = nil) -> KeyChord? {
    guard let held = modifiers(modifier) else { return nil }
    switch letter {
    case UInt8(ascii: "P")...UInt8(ascii: "S"):
      return KeyChord(.function(Int(letter) - Int(UInt8(ascii: "P")) + 1), held)
    case UInt8(ascii: "M"): return KeyChord(.enter)
    case UInt8(ascii: "I"): return KeyChord(.tab)
    case UInt8(ascii: "X"): return KeyChord.character("=")
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      // rxvt's arrows with Ctrl.
      return lettered(letter - 0x20).map { KeyChord($0, .control) }
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // Keypad in application mode: `j` is `*`, `p` is `0`.
      return KeyChord(.character(Character(Unicode.Scalar(letter - 0x40))), held)
    default: return lettered(letter).map { KeyChord($0, held) }
    }
  }

  private static func lettered(_ letter: UInt8) -> Key? {
    switch letter {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    default: nil
    }
  }

  private static func key(_ parameters: SequenceParameters, _ final: UInt8) -> KeyChord? {
    // Ignore key releases, which kitty reports only on request.
    guard parameters[1, 1] != 3, let held = modifiers(parameters[1]) else { return nil }
    switch final {
    case UInt8(ascii: "~"):
      // `27;modifiers;code~` is xterm's modifyOtherKeys.
      if parameters[0] == 27, parameters.count == 3 {
        return parameters[2].flatMap { EncodedKey(code: $0, modifiers: held).chord }
      }
      return numbered(parameters[0]).map { KeyChord($0, held) }
    case UInt8(ascii: "$"): return numbered(parameters[0]).map { KeyChord($0, .shift) }
    case UInt8(ascii: "^"): return numbered(parameters[0]).map { KeyChord($0, .control) }
    case UInt8(ascii: "@"): return numbered(parameters[0]).map { KeyChord($0, [.control, .shift]) }
    case UInt8(ascii: "a")...UInt8(ascii: "d"):
      return parameters.count > 0 ? nil : lettered(final - 0x20).map { KeyChord($0, .shift) }
    case UInt8(ascii: "Z"): return KeyChord(.tab, held.union(.shift))
    default: break
    }
    // With another first number it is a report, such as the cursor position.
    guard parameters.count <= 2, (parameters[0] ?? 1) == 1 else { return nil }
    if let key = lettered(final) { return KeyChord(key, held) }
    guard (UInt8(ascii: "P")...UInt8(ascii: "S")).contains(final) else { return nil }
    return KeyChord(.function(Int(final) - Int(UInt8(ascii: "P")) + 1), held)
  }

  private static func kitty(_ parameters: SequenceParameters) -> InputEvent? {
    // Ignore Super and Hyper combinations, which belong to the desktop.
    let bits = max(0, (parameters[1] ?? 1) - 1)
    guard let code = parameters[0], parameters[1, 1] != 3, bits & (8 | 16) == 0,
      let held = modifiers(parameters[1])
    else { return nil }
    let key = EncodedKey(
      code: code, shifted: parameters[0, 1], base: parameters[0, 2], text: parameters.parts(of: 2),
      modifiers: held)
    return key.chord.map { chord in
      guard chord.isOfAnotherAlphabet, let place = key.place else { return .key(chord) }
      return .letter(chord, place: place)
    }
  }

  private static func numbered(_ number: Int?) -> Key? {
    switch number {
    case 1?, 7?: .home
    case 2?: .insert
    case 3?: .delete
    case 4?, 8?: .end
    case 5?: .pageUp
    case 6?: .pageDown
    case let number?: function(number).map { .function($0) }
    case nil: nil
    }
  }

  /// The function key for a VT220 key number; the numbering has gaps.
  private static func function(_ number: Int) -> Int? {
    switch number {
    case 11...15: number - 10
    case 17...21: number - 11
    case 23...26: number - 12
    case 28, 29: number - 13
    case 31...34: number - 14
    default: nil
    }
  }

  /// Decodes the modifier parameter (1 plus a bit mask); nil if out of range.
  private static func modifiers(_ number: Int?) -> KeyModifiers? {
    guard let number else { return [] }
    guard (0...256).contains(number) else { return nil }
    let bits = max(0, number - 1)
    var modifiers: KeyModifiers = []
    if bits & 1 != 0 { modifiers.insert(.shift) }
    // 8 is Meta in xterm, 32 in kitty; Caps Lock and Num Lock (64, 128) are ignored.
    if bits & (2 | 8 | 32) != 0 { modifiers.insert(.alt) }
    if bits & 4 != 0 { modifiers.insert(.control) }
    return modifiers
  }
}

/// The parameters of a control sequence: numbers separated by `;`, with sub-parameters separated by
/// `:`.
struct SequenceParameters {
  private var groups: [[Int?]] = []

  /// - Returns: nil for other bytes, or for a number of more than eight digits.
  init?(_ body: some Sequence<UInt8>) {
    var groups: [[Int?]] = [[nil]]
    var isEmpty = true
    for byte in body {
      isEmpty = false
      switch byte {
      case 0x30...0x39:
        let last = (groups[groups.count - 1].popLast() ?? nil) ?? 0
        guard last < 10_000_000 else { return nil }
        groups[groups.count - 1].append(last * 10 + Int(byte - 0x30))
      case UInt8(ascii: ";"): groups.append([nil])
      case UInt8(ascii: ":"): groups[groups.count - 1].append(nil)
      default: return nil
      }
    }
    self.groups = isEmpty ? [] : groups
  }

  var count: Int { groups.count }

  /// A parameter or sub-parameter; nil if omitted.
  subscript(index: Int, part: Int = 0) -> Int? {
    guard groups.indices.contains(index), groups[index].indices.contains(part) else { return nil }
    return groups[index][part]
  }

  /// All sub-parameters of a parameter that are present.
  func parts(of index: Int) -> [Int] {
    groups.indices.contains(index) ? groups[index].compactMap(\.self) : []
  }
}

/// Decodes mouse reports: SGR (1006), and urxvt's (1015) for terminals without SGR. Source: "XTerm
/// Control Sequences", mouse tracking.
private enum MouseReport {
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
