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
