/// Removes from a frame what sets attributes that are set already, and sets the others in the
/// shortest way: ncurses sends both colours whenever one of them changes, a third of the bytes of a
/// painted map, and resets all attributes and the character set before it sets some, a fifth of the
/// bytes of a moved selection.
///
/// At a frame's beginning nothing is known. Attributes are sent before something is drawn that
/// shows them, not before the cursor moves or a blank that looks the same without.
struct RepeatedAttributes {
  private var kept: [UInt8] = []
  /// What the terminal has, and what the next characters are to have.
  private var sent = GraphicRendition()
  private var wanted = GraphicRendition()
  /// ncurses' sequences from the one to the other.
  private var pending: [UInt8] = []
  /// The last sequence that chose a character set.
  private var characterSet: ArraySlice<UInt8>?
  /// What the numbers of colours stand for; nil where they are the terminal's.
  private let numbers: ColorNumbers?

  private init(_ numbers: ColorNumbers?) { self.numbers = numbers }

  private static let escape: UInt8 = 0x1B

  /// - Parameter numbers: Have their colours chosen in place of them.
  static func removed(from bytes: [UInt8], numbers: ColorNumbers? = nil) -> [UInt8] {
    var attributes = RepeatedAttributes(numbers)
    attributes.kept.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let end = pieceEnd(from: index, in: bytes)
      attributes.take(bytes[index..<end])
      index = end
    }
    attributes.send()
    return attributes.kept
  }

  /// The end of the escape sequence or of the characters that begin there, or of the one control.
  private static func pieceEnd(from start: Int, in bytes: [UInt8]) -> Int {
    guard bytes[start] < 0x20 else {
      return bytes[start...].firstIndex { $0 < 0x20 } ?? bytes.count
    }
    guard bytes[start] == escape, start + 1 < bytes.count else { return start + 1 }
    switch bytes[start + 1] {
    case UInt8(ascii: "["):
      let final = bytes[(start + 2)...].firstIndex { !(0x20...0x3F).contains($0) }
      return final.map { $0 + 1 } ?? bytes.count
    case UInt8(ascii: "]"):
      // A title or a link ends with BEL or ESC \.
      let end = bytes[(start + 2)...].firstIndex { $0 == 0x07 || $0 == escape }
      return end.map { bytes[$0] == escape ? min($0 + 2, bytes.count) : $0 + 1 } ?? bytes.count
    case 0x20...0x2F: return min(start + 3, bytes.count)
    default: return start + 2
    }
  }

  private mutating func take(_ piece: ArraySlice<UInt8>) {
    switch Kind(of: piece) {
    case .attributes:
      var parameters = piece.dropFirst(2).dropLast()
      if let colors = numbers?.replaced(parameters) { parameters = colors[...] }
      pending += piece.prefix(2) + parameters + piece.suffix(1)
      if !wanted.apply(parameters) { sendPending() }
    case .characterSet:
      guard piece != characterSet else { return }
      characterSet = piece
      send()
      kept += piece
    case .movement: kept += piece
    case .other:
      let blanks =
        !pending.isEmpty && wanted.looksOnBlanksAs(sent) ? piece.prefix { $0 == 0x20 } : []
      kept += blanks
      guard blanks.count < piece.count else { return }
      send()
      kept += piece.dropFirst(blanks.count)
    }
  }

  private mutating func send() {
    guard !pending.isEmpty else { return }
    if let sequence = wanted.sequence(after: sent), sequence.count < pending.count {
      pending = sequence
    }
    sendPending()
  }

  private mutating func sendPending() {
    kept += pending
    pending.removeAll(keepingCapacity: true)
    sent = wanted
  }

  private enum Kind {
    case attributes, characterSet, movement, other

    init(of piece: ArraySlice<UInt8>) {
      let control = piece.dropFirst().first.map(Unicode.Scalar.init)
      switch (piece.first, control) {
      case (RepeatedAttributes.escape, "["):
        switch piece.last.map(Unicode.Scalar.init) {
        case "m": self = .attributes
        case "A", "B", "C", "D", "G", "H", "d": self = .movement
        default: self = .other
        }
      case (RepeatedAttributes.escape, "("), (RepeatedAttributes.escape, ")"), (0x0E, _),
        (0x0F, _):
        // A designation (ESC ( B), shift out, shift in.
        self = .characterSet
      case (0x08, _), (0x0D, _): self = .movement
      default: self = .other
      }
    }
  }
}
