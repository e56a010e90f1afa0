import Foundation
import RallyText
import Testing

/// Texts for comparison and search, beside what Foundation makes of them.
struct FoldingTests {
  private static let options: String.CompareOptions = [
    .caseInsensitive, .diacriticInsensitive, .widthInsensitive,
  ]

  /// The scalars that the table's edition of Unicode knows, one in so many of each block.
  private func scalars(of step: Int) -> [Unicode.Scalar] {
    stride(from: UInt32(0x20), to: 0x20000, by: step).compactMap(Unicode.Scalar.init).filter {
      ($0.properties.age?.major).map { $0 <= 15 } ?? false
    }
  }

  private func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  @Test func `every scalar is folded as the library folds it`() {
    let others = scalars(of: 1).filter { scalar in
      // Marks without a letter are no text.
      guard scalar.properties.canonicalCombiningClass == .notReordered else { return false }
      let wanted = String(scalar).folding(options: Self.options, locale: nil)
      return !Character(scalar).folded.unicodeScalars.elementsEqual(wanted.unicodeScalars)
    }
    #expect(others.isEmpty, "\(others.map { String($0.value, radix: 16) })")
  }

  @Test func `Latin, Greek and Cyrillic letters lose every accent`() {
    var random = SeededGenerator(seed: 3)
    let letters = scalars(of: 1).filter {
      // All that fold to one of these blocks.
      (Character($0).folded.unicodeScalars.first?.value ?? 0x510) < 0x510
        && $0.properties.isAlphabetic && $0.properties.canonicalCombiningClass == .notReordered
    }
    for _ in 0..<20_000 {
      var scalars = [letters[Int.random(in: letters.indices, using: &random)]]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        if let mark = Unicode.Scalar(UInt32.random(in: 0x300...0x36F, using: &random)),
          mark.value != 0x34F
        {
          scalars.append(mark)
        }
      }
      let accented = text(scalars)
      let wanted = accented.folding(options: Self.options, locale: nil)
      #expect(accented.folded.unicodeScalars.elementsEqual(wanted.unicodeScalars), "\(accented)")
    }
  }

  @Test(arguments: [
    ("Ärger", "arger"), ("STRASSE", "strasse"), ("Straße", "strasse"), ("Ｒａｌｌｙ", "rally"),
    ("ﬁn", "fin"), ("ΟΔΟΣ", "οδοσ"), ("οδός", "οδοσ"), ("Ёлка", "елка"), ("ﾃｽﾄ", "テスト"),
    ("がく", "がく"), ("한글", "한글"), ("", ""),
  ])
  func `what people type is folded`(text: String, folded: String) {
    #expect(text.folded == folded)
  }

  @Test func `a text is looked for without case and accents`() {
    #expect("São Paulo".foldedContains("PAULO"))
    #expect("São Paulo".foldedContains("sao"))
    #expect(!"São Paulo".foldedContains("rio"))
    #expect(!"São Paulo".foldedContains(""))
    #expect("São Paulo".foldedStarts(with: "SAO"))
    #expect(!"São Paulo".foldedStarts(with: "paulo"))
    #expect(!"São Paulo".foldedStarts(with: ""))
  }

  @Test func `bases are the decompositions without marks`() {
    let others = scalars(of: 1).filter { scalar in
      func bare(_ text: String) -> String {
        self.text(
          text.unicodeScalars.filter { $0.properties.canonicalCombiningClass == .notReordered })
      }
      let text = String(scalar)
      let canonical = bare(text.decomposedStringWithCanonicalMapping)
      let whole = bare(text.decomposedStringWithCompatibilityMapping)
      // Marks alone have no base; syllables of Hangul have one for compatibility only.
      if canonical.isEmpty || whole.isEmpty || scalar.value == 0xFF9E || scalar.value == 0xFF9F {
        return false
      }
      let isHangul = (0xAC00..<0xD7A4).contains(scalar.value)
      func isSame(_ text: String, _ other: String) -> Bool {
        text.unicodeScalars.elementsEqual(other.unicodeScalars)
      }
      return !isSame(scalar.compatibilityBase ?? text, whole)
        || !isHangul && !isSame(scalar.canonicalBase ?? text, canonical)
    }
    #expect(others.isEmpty, "\(others.map { String($0.value, radix: 16) })")
  }
}
