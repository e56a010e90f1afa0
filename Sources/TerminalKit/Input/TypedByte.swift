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
