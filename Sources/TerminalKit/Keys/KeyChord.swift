/// A key without modifiers.
public enum Key: Hashable, Sendable {
  case character(Character)
  case up, down, left, right, home, end, pageUp, pageDown, insert, delete
  case enter, tab, escape, backspace
  case function(Int)
}

/// Modifier keys. For printable characters Shift is part of the character itself.
public struct KeyModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let alt = KeyModifiers(rawValue: 2)
  public static let control = KeyModifiers(rawValue: 4)
}

/// One key press with its modifiers: written `j`, `^K`, `M-b`, `S-Tab`, `Esc`, `PgDn`, `F1`.
public struct KeyChord: Hashable, Sendable, CustomStringConvertible {
  public var key: Key
  public var modifiers: KeyModifiers

  public init(_ key: Key, _ modifiers: KeyModifiers = []) {
    self.key = key
    self.modifiers = modifiers
  }

  public static func character(_ character: Character) -> KeyChord {
    KeyChord(.character(character))
  }

  public static func control(_ character: Character) -> KeyChord {
    KeyChord(.character(Character(character.lowercased())), .control)
  }

  public static func alt(_ character: Character) -> KeyChord {
    KeyChord(.character(character), .alt)
  }

  /// The character that this key press types, if any.
  public var typedCharacter: Character? {
    guard modifiers.isEmpty, case .character(let character) = key else { return nil }
    return character
  }

  /// Whether it types a letter that no keyboard with Latin letters has.
  package var isOfAnotherAlphabet: Bool {
    guard let letter = typedCharacter, letter.isLetter, let scalar = letter.unicodeScalars.first
    else { return false }
    // Latin letters with accents, Latin Extended Additional.
    return scalar.value >= 0x370 && !(0x1E00...0x1EFF).contains(scalar.value)
  }

  /// Parses a key name; nil if it is unknown.
  ///
  /// Single characters are case-sensitive, names and control letters are not: `^k` equals `^K`,
  /// `esc` equals `Esc`. `C-x` means `^X`; names may be in angle brackets (`<ret>`).
  public init?(_ text: String) {
    var rest = Substring(text)
    if rest.count > 2, rest.hasPrefix("<"), rest.hasSuffix(">") {
      rest = rest.dropFirst().dropLast()
    }
    var modifiers: KeyModifiers = []
    while rest.count > 2 || (rest.count == 2 && rest.first == "^") {
      if rest.hasPrefix("M-") {
        modifiers.insert(.alt)
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("C-") {
        modifiers.insert(.control)
        rest = rest.dropFirst(2)
      } else if rest.hasPrefix("S-") {
        modifiers.insert(.shift)
        rest = rest.dropFirst(2)
      } else if rest.first == "^", rest.count > 1 {
        modifiers.insert(.control)
        rest = rest.dropFirst()
      } else {
        break
      }
    }
    guard let key = Self.key(named: String(rest)) else { return nil }
    if case .character(let character) = key, modifiers.contains(.control) {
      self.init(.character(Character(character.lowercased())), modifiers)
    } else {
      self.init(key, modifiers)
    }
  }

  /// The compact name, as hints show it: `^K`, `↵`, `Esc`, `S-Tab`.
  public var description: String {
    var prefix = ""
    if modifiers.contains(.alt) { prefix += "M-" }
    if modifiers.contains(.shift) { prefix += "S-" }
    if modifiers.contains(.control) {
      if case .character(let character) = key, character != " " {
        return prefix + "^" + character.uppercased()
      }
      prefix += "C-"
    }
    return prefix + Self.name(of: key)
  }

  private static let names: [(Key, String, [String])] = [
    (.up, "↑", ["up"]), (.down, "↓", ["down"]), (.left, "←", ["left"]), (.right, "→", ["right"]),
    (.home, "Home", []), (.end, "End", []), (.pageUp, "PgUp", ["pageup"]),
    (.pageDown, "PgDn", ["pagedown"]), (.insert, "Ins", ["insert"]), (.delete, "Del", ["delete"]),
    (.enter, "↵", ["enter", "ret", "return"]), (.tab, "Tab", []), (.escape, "Esc", ["escape"]),
    (.backspace, "BS", ["backspace"]), (.character(" "), "Space", []),
  ]

  private static func name(of key: Key) -> String {
    if let named = names.first(where: { $0.0 == key }) { return named.1 }
    switch key {
    case .character(let character): return String(character)
    case .function(let number): return "F\(number)"
    default: return "?"
    }
  }

  private static func key(named text: String) -> Key? {
    if text.count == 1, let character = text.first {
      return names.first { $0.1 == text }?.0 ?? .character(character)
    }
    let lower = text.lowercased()
    if let named = names.first(where: { $0.1.lowercased() == lower || $0.2.contains(lower) }) {
      return named.0
    }
    if lower.first == "f", let number = Int(lower.dropFirst()), (1...24).contains(number) {
      return .function(number)
    }
    return nil
  }
}

/// Keys pressed in sequence: `g g`.
public struct KeySequence: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  public var chords: [KeyChord]

  public init(_ chords: [KeyChord]) { self.chords = chords }

  /// Parses key names separated by spaces; nil if one is unknown or there is none.
  public init?(_ text: String) {
    var chords: [KeyChord] = []
    for name in text.split(separator: " ") {
      guard let chord = KeyChord(String(name)) else { return nil }
      chords.append(chord)
    }
    guard !chords.isEmpty else { return nil }
    self.chords = chords
  }

  /// For tables in source code. Traps on an unknown key name.
  public init(stringLiteral value: String) {
    guard let sequence = KeySequence(value) else { preconditionFailure("no such key: \(value)") }
    self = sequence
  }

  public var description: String { chords.map(\.description).joined(separator: " ") }
}

extension KeyChord {
  /// The name in words that can be typed: `Enter` and `Up` instead of `↵` and `↑`.
  public var written: String {
    let shown = description
    let name: String? =
      switch key {
      case .up: "Up"
      case .down: "Down"
      case .left: "Left"
      case .right: "Right"
      case .enter: "Enter"
      default: nil
      }
    return name.map { shown.dropLast() + $0 } ?? shown
  }

  /// The key that terminals send for this chord, if it is a different one.
  ///
  /// Ctrl with these letters produces the same byte as the key.
  package var sentAs: KeyChord? {
    guard modifiers == .control, case .character(let letter) = key else { return nil }
    return switch letter {
    case "i": KeyChord(.tab)
    case "m", "j": KeyChord(.enter)
    case "[": KeyChord(.escape)
    default: nil
    }
  }
}

extension KeySequence {
  /// The configuration syntax: `g g`, `Enter`.
  public var written: String { chords.map(\.written).joined(separator: " ") }
}

extension KeyChord {
  /// The name in a form that screen readers pronounce well: `Ctrl-K`, `Enter`, `Shift-Tab`.
  var spoken: String {
    var name = written
    var prefix = ""
    for (mark, word) in [("M-", "Alt-"), ("S-", "Shift-"), ("C-", "Ctrl-"), ("^", "Ctrl-")]
    where name.hasPrefix(mark) && name.count > mark.count {
      prefix += word
      name = String(name.dropFirst(mark.count))
    }
    return prefix + name
  }
}

extension KeySequence {
  var spoken: String { chords.map(\.spoken).joined(separator: " ") }
}
