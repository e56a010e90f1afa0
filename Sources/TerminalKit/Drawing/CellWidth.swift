import RallyText
import Synchronization

/// Width of text in terminal cells, as used by all layout.
public enum CellWidth {
  /// Width of a grapheme cluster in cells.
  ///
  /// Control characters have width 0. Emoji sequences (with a joiner, skin tone, flag or emoji
  /// variation selector) have width 2. Otherwise the widths of the scalars are added: 0 for
  /// combining marks, 2 for East Asian wide ones.
  public static func width(of character: Character) -> Int {
    width(of: character, TextWidths.current)
  }

  static func width(of character: Character, _ widths: TextWidths) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if first.value < 0x7F, scalars.index(after: scalars.startIndex) == scalars.endIndex {
      return first.value < 0x20 ? 0 : 1
    }
    if widths.spellsEmoji, let text = EmojiText.text(for: character) { return text.utf8.count }
    if isPicture(character) { return 2 }
    return scalars.reduce(0) { $0 + width(of: $1, isAmbiguousWide: widths.isAmbiguousWide) }
  }

  /// Width of a string in cells.
  public static func width(of text: some StringProtocol) -> Int {
    if text.utf8.allSatisfy({ $0.isPrintableASCII }) { return text.utf8.count }
    return text.reduce(0) { $0 + width(of: $1) }
  }

  /// Width of a single scalar: 0, 1 or 2.
  static func width(of scalar: Unicode.Scalar, isAmbiguousWide: Bool = false) -> Int {
    let value = scalar.value
    if value < 0x300 {
      if value < 0x20 || (0x7F..<0xA0).contains(value) { return 0 }
      return isAmbiguousWide && isWideAmbiguous(scalar) ? 2 : 1
    }
    if contains(CellWidthTable.zero, value) { return 0 }
    if contains(CellWidthTable.wide, value) { return 2 }
    return isAmbiguousWide && isWideAmbiguous(scalar) ? 2 : 1
  }

  /// Whether the scalar is drawn two cells wide on a terminal with wide ambiguous characters.
  static func isWideAmbiguous(_ scalar: Unicode.Scalar) -> Bool {
    isAmbiguous(scalar) && !isChrome(scalar)
  }

  package static func isAmbiguous(_ scalar: Unicode.Scalar) -> Bool {
    contains(CellWidthTable.ambiguous, scalar.value)
  }

  /// Symbols used in Rally's own screens. Where ambiguous characters are wide, these are replaced
  /// by ASCII, so that they keep their width of one cell.
  static func isChrome(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA0...0xFF: !scalar.properties.isAlphabetic
    case 0x2010...0x203E, 0x2190...0x21FF, 0x2500...0x25FF: true
    default: false
    }
  }

  /// Whether a cluster is an emoji sequence; terminals disagree on the widths of these.
  static func isPicture(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard let first = scalars.first, scalars.index(after: scalars.startIndex) != scalars.endIndex
    else { return false }
    if isRegionalIndicator(first) { return true }
    guard first.properties.isEmoji else { return false }
    return scalars.dropFirst().contains {
      $0.value == 0x200D || $0.value == 0xFE0F || $0.value == 0x20E3
        || $0.properties.isEmojiModifier
    }
  }

  /// Splits a cluster into pieces that every terminal draws with the stated width.
  ///
  /// A piece is a spacing scalar and at most four combining marks, the most that an ncurses cell
  /// can hold. Of an emoji sequence only the first emoji is drawn, without selector or skin tone,
  /// since terminals disagree on the rest. A flag is drawn as its two letters. The widths of the
  /// pieces add up to `width(of:)`.
  public static func pieces(of character: Character) -> [(text: String, width: Int)] {
    pieces(of: character, TextWidths.current)
  }

  static func pieces(
    of character: Character, _ widths: TextWidths
  ) -> [(text: String, width: Int)] {
    let scalars = character.unicodeScalars
    if widths.spellsEmoji, let text = EmojiText.text(for: character) {
      return text.map { (String($0), 1) }
    }
    if isPicture(character), let first = scalars.first {
      if isRegionalIndicator(first) { return scalars.prefix(2).map { (letter(of: $0), 1) }.filled }
      let own = width(of: first)
      let head = (String(Character(first)), own)
      return own >= 2 ? [head] : [head, (" ", 1)]
    }
    var pieces: [(text: String, width: Int)] = []
    var marks = 0
    for scalar in scalars {
      let own = width(of: scalar, isAmbiguousWide: widths.isAmbiguousWide)
      if own > 0 {
        pieces.append((String(Character(scalar)), own))
        marks = 0
      } else if !pieces.isEmpty, marks < 4, isMark(scalar) {
        pieces[pieces.count - 1].text.unicodeScalars.append(scalar)
        marks += 1
      }
    }
    return pieces
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark:
      !(0xFE00...0xFE0F).contains(scalar.value)
    case .otherLetter: true  // vowels and finals of a Hangul syllable written in parts
    default: false
    }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func letter(of indicator: Unicode.Scalar) -> String {
    let offset = indicator.value &- 0x1F1E6
    guard offset < 26, let letter = Unicode.Scalar(0x41 + offset) else { return " " }
    return String(Character(letter))
  }

  private static func contains(_ ranges: [ClosedRange<UInt32>], _ value: UInt32) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < ranges.count && ranges[low].contains(value)
  }
}

extension [(text: String, width: Int)] {
  /// Pads to two pieces, so that a lone regional indicator has the width of a flag.
  fileprivate var filled: [(text: String, width: Int)] { count < 2 ? self + [(" ", 1)] : self }
}

/// The person's settings for character widths in their terminal, read by all layout.
///
/// One value per process. After a change everything must be laid out again.
public struct TextWidths: Hashable, Sendable {
  /// Whether characters of ambiguous width (UAX #11) take two cells, as in East Asian fonts.
  public var isAmbiguousWide: Bool
  /// Whether emoji are spelled out as words.
  public var spellsEmoji: Bool

  public init(isAmbiguousWide: Bool = false, spellsEmoji: Bool = false) {
    self.isAmbiguousWide = isAmbiguousWide
    self.spellsEmoji = spellsEmoji
  }

  private static let bits = Atomic<UInt8>(0)

  /// The current settings; an atomic, safe to read from any thread.
  public static var current: TextWidths {
    get {
      let value = bits.load(ordering: .relaxed)
      return TextWidths(isAmbiguousWide: value & 1 != 0, spellsEmoji: value & 2 != 0)
    }
    set {
      bits.store(
        (newValue.isAmbiguousWide ? 1 : 0) | (newValue.spellsEmoji ? 2 : 0),
        ordering: .relaxed)
    }
  }
}
