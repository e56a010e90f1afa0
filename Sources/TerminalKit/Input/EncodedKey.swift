/// Keys encoded as Unicode code points: `ESC [ number u` (kitty's protocol and its adopters) and
/// xterm's `ESC [ 27 ; modifiers ; number ~`.
///
/// Sources: "Comprehensive keyboard handling in terminals" (kitty); modifyOtherKeys in "XTerm
/// Control Sequences".
struct EncodedKey {
  /// Code point of the key without Shift.
  var code: Int
  /// Code point with Shift, if reported.
  var shifted: Int?
  /// Code point of the key at this position on the PC-101 layout, if reported.
  var base: Int?
  /// Code points of the typed text, if reported.
  package var text: [Int] = []
  var modifiers: KeyModifiers

  /// The chord; nil for keys without a meaning of their own, such as Shift.
  var chord: KeyChord? {
    if let key = Self.named(code) {
      // Shift with these keys is usually accidental, and other terminals do not report it.
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
      // Chords that other terminals send as a single byte become that byte's key.
      return chord.sentAs ?? chord
    }
  }

  /// The key at this place on the PC-101 layout, if the terminal says it.
  var place: KeyChord? {
    let held = modifiers.subtracting(.shift)
    guard held.isEmpty, let base, (0x20..<0x7F).contains(base),
      let key = Self.character([base])
    else { return nil }
    return .character(modifiers.contains(.shift) ? Self.shifted(key) : key)
  }

  /// What a key of the PC-101 layout types with Shift.
  private static func shifted(_ key: Character) -> Character {
    let plain = "`1234567890-=[]\\;',./"
    let upper = "~!@#$%^&*()_+{}|:\"<>?"
    if let index = plain.firstIndex(of: key) { return upper[index] }
    return Character(key.uppercased())
  }

  private var character: Character? {
    let isHeld = modifiers.contains(.control) || modifiers.contains(.alt)
    if !isHeld, let typed = Self.character(text) { return typed }
    // With Ctrl or Alt, use the Latin letter at this position on keyboards with other alphabets.
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

  /// Kitty's private-use code points: keys that type nothing, and the keypad.
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
