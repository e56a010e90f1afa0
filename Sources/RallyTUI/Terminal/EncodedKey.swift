/// Keys that are sent as the number of what they type: `ESC [ number u` (kitty, and what others took
/// over from it) and xterm's `ESC [ 27 ; modifiers ; number ~`.
///
/// Source: "Comprehensive keyboard handling in terminals" (kitty) and modifyOtherKeys of "XTerm
/// Control Sequences".
struct EncodedKey {
  /// What the key types without Shift.
  var code: Int
  /// What it types with Shift, where the terminal says so.
  var shifted: Int?
  /// What the key in this place types on the PC-101 layout, where the terminal says so.
  var base: Int?
  /// What was typed, where the terminal says so.
  var text: [Int] = []
  var modifiers: KeyModifiers

  /// The chord; nil for keys that mean nothing by themselves, such as Shift.
  var chord: KeyChord? {
    if let key = Self.named(code) {
      // Shift with these is a slip of the finger, and elsewhere the plain key.
      let isTab = key == .tab
      return KeyChord(key, isTab ? modifiers : modifiers.subtracting(.shift))
    }
    if let key = Self.functional(code) { return KeyChord(key, modifiers) }
    return character.map { character in
      guard modifiers.contains(.control) else {
        return KeyChord(.character(character), modifiers.subtracting(.shift))
      }
      let lower = Character(character.lowercased())
      let chord = KeyChord(.character(lower), modifiers.subtracting(.shift))
      // What other terminals send one byte for is the key of that byte here as well.
      return chord.sentAs ?? chord
    }
  }

  private var character: Character? {
    let isHeld = modifiers.contains(.control) || modifiers.contains(.alt)
    if !isHeld, let typed = Self.character(text) { return typed }
    // Ctrl and a letter mean the same on a keyboard with another alphabet.
    if isHeld, code > 0x7F, let base, (0x20..<0x7F).contains(base) { return Self.character([base]) }
    guard modifiers.contains(.shift), !modifiers.contains(.control) else {
      return Self.character([code])
    }
    if let shifted { return Self.character([shifted]) }
    return Self.character([code]).map { letter in
      let upper = letter.uppercased()
      return upper.count == 1 ? Character(upper) : letter
    }
  }

  private static func character(_ codes: [Int]) -> Character? {
    var text = String.UnicodeScalarView()
    for code in codes {
      guard code >= 0x20, !(0x7F..<0xA0).contains(code), !(57344...63743).contains(code),
        let scalar = UInt32(exactly: code).flatMap(Unicode.Scalar.init)
      else { return nil }
      text.append(scalar)
    }
    let typed = String(text)
    return typed.count == 1 ? typed.first : nil
  }

  private static func named(_ code: Int) -> Key? {
    switch code {
    case 9: .tab
    case 13, 57414: .enter
    case 27: .escape
    case 8, 127: .backspace
    default: nil
    }
  }

  /// The private numbers of keys that type nothing, and of the number pad.
  private static func functional(_ code: Int) -> Key? {
    switch code {
    case 57348: .insert
    case 57349: .delete
    case 57350, 57417: .left
    case 57351, 57418: .right
    case 57352, 57419: .up
    case 57353, 57420: .down
    case 57354, 57421: .pageUp
    case 57355, 57422: .pageDown
    case 57356, 57423: .home
    case 57357, 57424: .end
    case 57425: .insert
    case 57426: .delete
    case 57364...57398: .function(code - 57364 + 1)
    case 57399...57408: .character(Character(String(code - 57399)))
    case 57409: .character(".")
    case 57410: .character("/")
    case 57411: .character("*")
    case 57412: .character("-")
    case 57413: .character("+")
    case 57415: .character("=")
    case 57416: .character(",")
    default: nil
    }
  }
}
