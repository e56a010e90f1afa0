/// Decodes keys sent as a UTF-8 character, as a letter of another charset, or as a control byte.
enum TypedByte {
  static func step(
    _ bytes: ArraySlice<UInt8>, _ isFinal: Bool, _ charset: SingleByteCharset?
  ) -> KeyDecoder.Step {
    guard let first = bytes.first else { return .incomplete }
    let chord: KeyChord? =
      switch first {
      case 0x0D, 0x0A: KeyChord(.enter)
      case 0x09: KeyChord(.tab)
      case 0x7F: KeyChord(.backspace)
      case 0x00: KeyChord(.character(" "), .control)
      case 0x01...0x1A: .control(Character(Unicode.Scalar(first + 0x60)))
      case 0x1C...0x1F: .control(Character(Unicode.Scalar(first + 0x40)))
      case 0x20..<0x7F: .character(Character(Unicode.Scalar(first)))
      default: nil
      }
    if let chord { return .event(.key(chord), length: 1) }
    let step = utf8(bytes, isFinal)
    // A letter of UTF-8 is nearly never two letters of another charset: terminals that send UTF-8
    // are understood under a locale that says otherwise.
    guard let charset, case .event(nil, _) = step else { return step }
    return .event(charset[first].map { .key(.character(Character($0))) }, length: 1)
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>, _ isFinal: Bool) -> KeyDecoder.Step {
    let length =
      switch bytes[bytes.startIndex] {
      case 0xC2...0xDF: 2
      case 0xE0...0xEF: 3
      case 0xF0...0xF4: 4
      default: 1
      }
    guard length > 1 else { return .event(nil, length: 1) }
    let rest = bytes.dropFirst().prefix(length - 1)
    if let bad = rest.firstIndex(where: { $0 & 0xC0 != 0x80 }) {
      return .event(nil, length: bad - bytes.startIndex)
    }
    guard bytes.count >= length else {
      return isFinal ? .event(nil, length: bytes.count) : .incomplete
    }
    guard let character = String(validating: bytes.prefix(length), as: UTF8.self)?.first,
      let scalar = character.unicodeScalars.first, scalar.value >= 0xA0
    else { return .event(nil, length: length) }
    return .event(.key(.character(character)), length: length)
  }
}

/// A charset whose letters are single bytes, such as ISO 8859-1 or KOI8-R. Its first half is ASCII.
public struct SingleByteCharset: Hashable, Sendable {
  /// What the bytes from 0x80 on mean; nil for those without a letter.
  private let upper: [Unicode.Scalar?]

  /// - Parameter upper: The letters of the bytes from 0x80 on.
  /// - Returns: nil unless there are 128.
  public init?(upper: [Unicode.Scalar?]) {
    guard upper.count == 128 else { return nil }
    // Control characters are no letters: the decoder has dropped them from UTF-8 as well.
    self.upper = upper.map { $0.flatMap { $0.value >= 0xA0 ? $0 : nil } }
  }

  /// The letter of a byte; nil where it has none, and for ASCII's control characters.
  public subscript(byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80...: upper[Int(byte) - 0x80]
    case 0x20..<0x7F: Unicode.Scalar(byte)
    default: nil
    }
  }

  /// A text in this charset; bytes without a letter become U+FFFD, control characters stay.
  public func text(_ bytes: some Sequence<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : self[byte] ?? "\u{FFFD}")
    }
    return String(scalars)
  }
}
