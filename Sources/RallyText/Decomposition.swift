extension Unicode.Scalar {
  /// The canonical decomposition without combining marks: `e` for `é`; nil if there is none.
  package var canonicalBase: String? {
    value < 0xC0 ? nil : Decompositions.canonical[value]
  }

  /// The compatibility decomposition without combining marks: `e` for `é`, `fi` for `ﬁ`, `a` for
  /// `ａ`, the letters of a Hangul syllable; nil if there is none.
  package var compatibilityBase: String? {
    if value < 0xA0 { return nil }
    return Decompositions.hangul(value) ?? Decompositions.compatibility[value] ?? canonicalBase
  }
}

/// The table of decompositions by scalar, read when the first text with accents is met.
private enum Decompositions {
  static let canonical = bases(in: DecompositionTable.canonical)
  static let compatibility = bases(in: DecompositionTable.compatibility)

  private static func bases(in table: String) -> [UInt32: String] {
    var bases: [UInt32: String] = [:]
    for entry in table.split(separator: " ") {
      let parts = entry.split(separator: ":")
      guard parts.count == 2 else { continue }
      let isCounting = parts[0].last == "+"
      let base = parts[0].prefix { $0 != "+" }.split(separator: ".").compactMap(scalar)
      for range in parts[1].split(separator: ",") {
        let ends = range.split(separator: "-").compactMap { UInt32($0, radix: 16) }
        guard let first = ends.first, let last = ends.last else { continue }
        for (step, value) in (first...last).enumerated() {
          let shift = isCounting ? UInt32(step) : 0
          bases[value] = String(
            String.UnicodeScalarView(base.compactMap { Unicode.Scalar($0.value + shift) }))
        }
      }
    }
    return bases
  }

  private static func scalar(_ digits: Substring) -> Unicode.Scalar? {
    UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
  }

  /// The letters of a syllable, as the standard computes them (section 3.12).
  static func hangul(_ value: UInt32) -> String? {
    guard (0xAC00..<0xD7A4).contains(value) else { return nil }
    let index = value - 0xAC00
    let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
    return String(
      String.UnicodeScalarView(
        letters.prefix(index % 28 == 0 ? 2 : 3).compactMap { Unicode.Scalar($0) }))
  }
}
