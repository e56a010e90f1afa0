/// The attributes that a terminal draws characters with, as far as they are known (ECMA-48, 8.3.117
/// SGR; colours beyond the first eight as xterm writes them).
struct GraphicRendition: Equatable {
  /// Bit N is what parameter N sets, 1–9; nil while unknown.
  private var flags: UInt16?
  /// The parameters that set the colour, such as `38;5;124`; nil while unknown.
  private var foreground: ArraySlice<UInt8>?
  private var background: ArraySlice<UInt8>?

  /// What parameter 0 sets.
  private static let standard = GraphicRendition(
    flags: 0, foreground: Array("39".utf8)[...], background: Array("49".utf8)[...])
  private static let begin: [UInt8] = [0x1B, UInt8(ascii: "[")]
  private static let separator = UInt8(ascii: ";")
  private static let end = [UInt8(ascii: "m")]

  /// Underlined, reversed and struck out: bits 4, 7 and 9.
  private static let onBlanks: UInt16 = 1 << 4 | 1 << 7 | 1 << 9
  private static let reversed: UInt16 = 1 << 7

  /// Whether a blank looks the same with these attributes and with the others: neither its
  /// intensity nor, unless reversed, its foreground is seen.
  func looksOnBlanksAs(_ other: GraphicRendition) -> Bool {
    guard let flags, let others = other.flags, let background, background == other.background else {
      return false
    }
    return (flags ^ others) & Self.onBlanks == 0 && flags & Self.reversed == 0
  }

  /// Takes the parameters of one SGR sequence in.
  ///
  /// - Returns: False, with nothing known any more, if they are not understood or add to attributes
  ///   that are unknown.
  mutating func apply(_ parameters: ArraySlice<UInt8>) -> Bool {
    var rest = parameters
    repeat {
      let first = rest.startIndex
      guard let code = Self.number(&rest) else { return forget() }
      switch code {
      case 0: self = Self.standard
      case 1...9:
        guard let flags else { return forget() }
        self.flags = flags | 1 << code
      case 38, 48:
        guard Self.skipExtendedColor(&rest) else { return forget() }
        fallthrough
      case 30...37, 39, 90...97, 40...47, 49, 100...107:
        let color = parameters[first..<rest.startIndex]
        if code < 40 || code / 10 == 9 { foreground = color } else { background = color }
      default: return forget()
      }
    } while rest.popFirst() != nil
    return true
  }

  private mutating func forget() -> Bool {
    self = GraphicRendition()
    return false
  }

  /// Consumes `;5;N` or `;2;R;G;B`.
  private static func skipExtendedColor(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard rest.popFirst() != nil, let kind = number(&rest), kind == 2 || kind == 5 else {
      return false
    }
    return (0..<(kind == 2 ? 3 : 1)).allSatisfy { _ in
      rest.popFirst() != nil && number(&rest) != nil
    }
  }

  /// Consumes digits up to a separator or the end; none are 0.
  ///
  /// - Returns: nil if something else stands there.
  private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
    var number = 0
    while let digit = rest.first, digit != separator {
      guard (0x30...0x39).contains(digit), number < 1000 else { return nil }
      number = number * 10 + Int(digit - 0x30)
      rest.removeFirst()
    }
    return number
  }

  /// The shortest SGR sequence that gives these attributes to a terminal that has `old`.
  ///
  /// - Returns: nil if there is none as long as something is unknown.
  func sequence(after old: GraphicRendition) -> [UInt8]? {
    guard self != old else { return [] }
    guard self != Self.standard else { return Self.begin + Self.end }
    let additions = sequence(Self.begin, addingTo: old)
    guard flags != nil, foreground != nil, background != nil,
      let whole = sequence(Self.begin + [0x30], addingTo: Self.standard),
      whole.count < additions?.count ?? .max
    else { return additions }
    return whole
  }

  /// The sequence that adds these attributes to `old`.
  ///
  /// - Parameter beginning: The introducer, perhaps with a first parameter.
  /// - Returns: nil if `old` has one that would have to go.
  private func sequence(_ beginning: [UInt8], addingTo old: GraphicRendition) -> [UInt8]? {
    var sequence = beginning
    if flags != old.flags {
      guard let flags, let oldFlags = old.flags, flags & oldFlags == oldFlags else { return nil }
      for code in 1...9 as ClosedRange<UInt8> where (flags ^ oldFlags) & 1 << code != 0 {
        Self.append([0x30 + code], to: &sequence)
      }
    }
    if foreground != old.foreground, let foreground { Self.append(foreground, to: &sequence) }
    if background != old.background, let background { Self.append(background, to: &sequence) }
    return sequence + Self.end
  }

  private static func append(_ parameter: ArraySlice<UInt8>, to sequence: inout [UInt8]) {
    if sequence.count > begin.count { sequence.append(separator) }
    sequence += parameter
  }
}
