import RallySystem
import RallyText

/// A text normalized for search, as UTF-16 units without case, accents and letter width, with a
/// score bonus for a match at each unit.
struct FoldedText {
  private(set) var units: ContiguousArray<UInt16> = []
  /// The bonus of a match at each unit, for example at the start of a word; one per unit.
  private(set) var bonuses: ContiguousArray<UInt8> = []
  /// The index of the character that each unit comes from; one per unit.
  private(set) var characters: ContiguousArray<Int32> = []

  init(_ text: String) {
    Self.fold(text) { unit, bonus, character in
      units.append(unit)
      bonuses.append(bonus)
      characters.append(character)
    }
  }

  /// The search term that was typed, without surrounding white space and a leading `@`.
  static func needle(_ typed: String) -> ContiguousArray<UInt16> {
    var text = Substring(typed)
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    if text.first == "@" { text.removeFirst() }
    return FoldedText(String(text)).units
  }

  /// Calls `add` with each folded unit of a text, its bonus and the index of its character.
  static func fold(_ text: String, _ add: (UInt16, UInt8, Int32) -> Void) {
    if fold(ascii: text, add) || fold(simple: text, add) { return }
    var former = UnitClass.blank
    for (index, character) in text.enumerated() {
      let kind = UnitClass(character)
      let bonus = kind.bonus(after: former)
      former = kind
      for (offset, unit) in folded(character).utf16.enumerated() {
        add(unit, offset == 0 ? bonus : 0, Int32(index))
      }
    }
  }

  /// Fast path for ASCII; returns false and adds nothing for any other text.
  private static func fold(
    ascii text: String, _ add: (UInt16, UInt8, Int32) -> Void
  ) -> Bool {
    let bytes = text.utf8.span
    // CR LF is one `Character` of two units.
    for index in bytes.indices where bytes[index] >= 0x80 || bytes[index] == 0x0D { return false }
    var former = UnitClass.blank
    for index in bytes.indices {
      let byte = bytes[index]
      let kind = UnitClass(ascii: byte)
      let isUpper = kind == .upper
      add(UInt16(isUpper ? byte | 0x20 : byte), kind.bonus(after: former), Int32(index))
      former = kind
    }
    return true
  }

  /// Fast path for texts in which every scalar is a `Character` of its own, as in most other
  /// scripts. Returns false and adds nothing for any other text.
  private static func fold(
    simple text: String, _ add: (UInt16, UInt8, Int32) -> Void
  ) -> Bool {
    guard text.unicodeScalars.allSatisfy(SimpleScalars.contains) else { return false }
    var former = UnitClass.blank
    var index: Int32 = 0
    for scalar in text.unicodeScalars {
      let (kind, unit) = SimpleScalars.folded(scalar)
      add(unit, kind.bonus(after: former), index)
      former = kind
      index += 1
    }
    return true
  }

  static func folded(_ character: Character) -> String {
    if let ascii = character.asciiValue {
      let isUpper = UnitClass(ascii: ascii) == .upper
      return String(Character(Unicode.Scalar(isUpper ? ascii | 0x20 : ascii)))
    }
    return character.folded
  }
}

/// The class of a character; word boundaries follow from neighbouring classes.
enum UnitClass: UInt8 {
  case blank, mark, delimiter, lower, upper, letter, digit

  init(ascii byte: UInt8) {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
    case 0x00...0x20: self = .blank
    case UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: ";"),
      UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@"):
      self = .delimiter
    default: self = .mark
    }
  }

  init(_ character: Character) {
    if let byte = character.asciiValue {
      self = UnitClass(ascii: byte)
    } else if character.isWhitespace {
      self = .blank
    } else if character.isUppercase {
      self = .upper
    } else if character.isLowercase {
      self = .lower
    } else if character.isLetter {
      self = .letter
    } else {
      self = character.isNumber ? .digit : .mark
    }
  }

  private var isWord: Bool { rawValue >= UnitClass.lower.rawValue }

  /// The score bonus of a match here, as in fzf: highest at the start of a word, less at a hump as
  /// in `checkIn` or `page2`.
  func bonus(after former: UnitClass) -> UInt8 {
    if isWord {
      switch former {
      case .blank: return FuzzyScore.afterBlank
      case .delimiter: return FuzzyScore.afterDelimiter
      case .mark: return FuzzyScore.boundary
      default: break
      }
      if former == .lower && self == .upper || former != .digit && self == .digit {
        return FuzzyScore.hump
      }
      return 0
    }
    return self == .blank ? FuzzyScore.afterBlank : FuzzyScore.boundary
  }
}

/// fzf's score constants; see its `algo.go`.
enum FuzzyScore {
  static let match: Int32 = 16
  static let gapStart: Int32 = -3
  static let gapExtension: Int32 = -1
  static let boundary: UInt8 = 8
  static let afterBlank: UInt8 = 10
  static let afterDelimiter: UInt8 = 9
  static let hump: UInt8 = 7
  static let consecutive: UInt8 = 4
  static let firstMultiplier: Int32 = 2
}

/// Scalars that are one `Character` and fold to one UTF-16 unit: Latin, Greek and Cyrillic letters
/// with accents, CJK ideographs and Hangul syllables. A table lookup; folding each one takes much
/// longer.
enum SimpleScalars {
  /// U+0080 to U+052F; nil for combining marks and for scalars that fold to more than one unit.
  private static let table: [(kind: UnitClass, unit: UInt16)?] = (UInt32(0x80)..<0x530).map {
    value in
    guard let scalar = Unicode.Scalar(value), !isJoining(value) else { return nil }
    let character = Character(scalar)
    let units = Array(FoldedText.folded(character).utf16)
    return units.count == 1 ? (UnitClass(character), units[0]) : nil
  }

  private static func isJoining(_ value: UInt32) -> Bool {
    (0x300..<0x370).contains(value) || (0x483..<0x48A).contains(value)
  }

  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x80 { return value != 0x0D }
    if value < 0x530 { return table[Int(value) - 0x80] != nil }
    return isIdeograph(value)
  }

  /// - Precondition: `contains(scalar)`.
  static func folded(_ scalar: Unicode.Scalar) -> (kind: UnitClass, unit: UInt16) {
    let value = scalar.value
    if value < 0x80 {
      let byte = UInt8(value)
      let kind = UnitClass(ascii: byte)
      return (kind, UInt16(kind == .upper ? byte | 0x20 : byte))
    }
    if value < 0x530, let known = table[Int(value) - 0x80] { return known }
    return (.letter, UInt16(truncatingIfNeeded: value))
  }

  /// CJK ideographs and Hangul syllables, which have neither case nor accents.
  private static func isIdeograph(_ value: UInt32) -> Bool {
    (0x3400..<0xA000).contains(value) || (0xAC00..<0xD7A4).contains(value)
  }
}
