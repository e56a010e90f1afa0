/// The sequences that begin with `ESC [` or `ESC O`, in the forms xterm gave them.
///
/// Source: "XTerm Control Sequences", PC-style function keys, SGR mouse (1006), bracketed paste
/// (2004) and focus (1004).
enum ControlSequence {
  enum Parsed {
    case onlyIntroducer
    case incomplete(length: Int)
    case pasteBegins(length: Int)
    /// nil is a sequence that means nothing here.
    case event(InputEvent?, length: Int)
  }

  static func parse(_ bytes: ArraySlice<UInt8>) -> Parsed {
    let start = bytes.startIndex
    var index = start + 2
    guard index < bytes.endIndex else { return .onlyIntroducer }
    // The Linux console's function keys have a second bracket.
    if bytes[index] == UInt8(ascii: "[") {
      guard index + 1 < bytes.endIndex else { return .incomplete(length: bytes.count) }
      let letter = Int(bytes[index + 1]) - 0x40
      return .event((1...5).contains(letter) ? .key(KeyChord(.function(letter))) : nil, length: 4)
    }
    while index < bytes.endIndex, (0x20...0x3F).contains(bytes[index]) { index += 1 }
    guard index < bytes.endIndex else { return .incomplete(length: bytes.count) }
    let final = bytes[index]
    guard (0x40...0x7E).contains(final) else {
      // Broken off by something else, which is decoded for itself.
      return .event(nil, length: index - start)
    }
    let length = index + 1 - start
    let body = bytes[(start + 2)..<index]
    // The old mouse report carries three bytes after its letter.
    if final == UInt8(ascii: "M"), body.isEmpty {
      return bytes.count < length + 3
        ? .incomplete(length: bytes.count) : .event(nil, length: length + 3)
    }
    if body.first == UInt8(ascii: "<") {
      return .event(mouse(body.dropFirst(), final).map { .mouse($0) }, length: length)
    }
    guard let numbers = numbers(in: body) else { return .event(nil, length: length) }
    if final == UInt8(ascii: "~"), numbers.first == 200 { return .pasteBegins(length: length) }
    if numbers.isEmpty, final == UInt8(ascii: "I") { return .event(.focus(true), length: length) }
    if numbers.isEmpty, final == UInt8(ascii: "O") { return .event(.focus(false), length: length) }
    return .event(key(numbers, final).map { .key($0) }, length: length)
  }

  /// The key of `ESC O` and a letter.
  static func ss3(_ letter: UInt8) -> KeyChord? {
    switch letter {
    case UInt8(ascii: "P")...UInt8(ascii: "S"):
      KeyChord(.function(Int(letter) - Int(UInt8(ascii: "P")) + 1))
    case UInt8(ascii: "M"): KeyChord(.enter)
    case UInt8(ascii: "I"): KeyChord(.tab)
    case UInt8(ascii: "j")...UInt8(ascii: "y"):
      // The number pad in application mode: `j` is `*`, `p` is `0`.
      KeyChord.character(Character(Unicode.Scalar(letter - 0x40)))
    default: lettered(letter).map { KeyChord($0) }
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

  private static func key(_ numbers: [Int], _ final: UInt8) -> KeyChord? {
    let modifiers = numbers.count > 1 ? modifiers(numbers[1]) : []
    if let key = lettered(final) { return KeyChord(key, modifiers) }
    switch final {
    case UInt8(ascii: "Z"): return KeyChord(.tab, .shift)
    case UInt8(ascii: "P")...UInt8(ascii: "S"):
      return KeyChord(.function(Int(final) - Int(UInt8(ascii: "P")) + 1), modifiers)
    case UInt8(ascii: "u"):
      guard let code = numbers.first else { return nil }
      return encoded(code, modifiers)
    case UInt8(ascii: "~"):
      // `27;modifiers;code~` is xterm's way to send any key with modifiers.
      if numbers.first == 27, numbers.count == 3 { return encoded(numbers[2], modifiers) }
      guard let number = numbers.first, let key = numbered(number) else { return nil }
      return KeyChord(key, modifiers)
    default: return nil
    }
  }

  private static func numbered(_ number: Int) -> Key? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23...26: .function(number - 12)
    case 28, 29: .function(number - 13)
    case 31...34: .function(number - 14)
    default: nil
    }
  }

  private static func encoded(_ code: Int, _ modifiers: KeyModifiers) -> KeyChord? {
    switch code {
    case 9: return KeyChord(.tab, modifiers)
    case 13: return KeyChord(.enter, modifiers)
    case 27: return KeyChord(.escape, modifiers)
    case 8, 127: return KeyChord(.backspace, modifiers)
    case 0x20..<0x7F, 0xA0...0x10FFFF:
      guard let scalar = Unicode.Scalar(UInt32(code)) else { return nil }
      // Shift is part of the character itself.
      return KeyChord(.character(Character(scalar)), modifiers.subtracting(.shift))
    default: return nil
    }
  }

  private static func modifiers(_ number: Int) -> KeyModifiers {
    let bits = max(0, number - 1)
    var modifiers: KeyModifiers = []
    if bits & 1 != 0 { modifiers.insert(.shift) }
    if bits & 2 != 0 { modifiers.insert(.alt) }
    if bits & 4 != 0 { modifiers.insert(.control) }
    return modifiers
  }

  private static func mouse(_ body: ArraySlice<UInt8>, _ final: UInt8) -> MouseEvent? {
    guard let numbers = numbers(in: body), numbers.count == 3,
      final == UInt8(ascii: "M") || final == UInt8(ascii: "m"),
      (1...10_000).contains(numbers[1]), (1...10_000).contains(numbers[2])
    else { return nil }
    let code = numbers[0]
    var modifiers: KeyModifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    let button = code & 3
    let kind: MouseEvent.Kind
    if code & 64 != 0 {
      guard button < 2 else { return nil }
      kind = button == 0 ? .wheelUp : .wheelDown
    } else if code & 32 != 0 {
      kind = button == 3 ? .move : .drag
    } else {
      kind = final == UInt8(ascii: "M") ? .press : .release
    }
    return MouseEvent(
      kind: kind, button: code & 64 != 0 ? 0 : button,
      position: Point(x: numbers[1] - 1, y: numbers[2] - 1), modifiers: modifiers)
  }

  /// Numbers parted by `;`, the part after a `:` left out; nil when there is anything else.
  private static func numbers(in body: ArraySlice<UInt8>) -> [Int]? {
    if body.isEmpty { return [] }
    var numbers: [Int] = []
    for part in body.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
      var number = 0
      for byte in part.prefix(while: { $0 != UInt8(ascii: ":") }) {
        guard (0x30...0x39).contains(byte), number < 10_000_000 else { return nil }
        number = number * 10 + Int(byte - 0x30)
      }
      numbers.append(number)
    }
    return numbers
  }
}

/// Sequences of one terminal, from its terminfo entry.
struct KeySequences: Sendable {
  enum Finding { case found(KeyChord, length: Int), prefix, none }

  private var chords: [[UInt8]: KeyChord] = [:]
  private var prefixes: Set<[UInt8]> = []
  private var longest = 0

  init(_ sequences: [(bytes: [UInt8], chord: KeyChord)]) {
    for (bytes, chord) in sequences where bytes.count > 1 && bytes.first == 0x1B {
      chords[bytes] = chord
      for length in 1..<bytes.count { prefixes.insert(Array(bytes.prefix(length))) }
      longest = max(longest, bytes.count)
    }
  }

  func find(_ bytes: ArraySlice<UInt8>) -> Finding {
    guard longest > 0 else { return .none }
    for length in stride(from: min(longest, bytes.count), through: 2, by: -1) {
      if let chord = chords[Array(bytes.prefix(length))] { return .found(chord, length: length) }
    }
    return bytes.count < longest && prefixes.contains(Array(bytes)) ? .prefix : .none
  }
}
