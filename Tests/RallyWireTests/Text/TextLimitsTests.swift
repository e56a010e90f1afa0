import Foundation
import RallyText
import RallyWire
import Testing

@Suite struct TextLimitsTests {
  private static let limits = [
    TextLimits.username, .name, .bio, .title, .brief, .line,
  ]

  /// Whole clusters of emoji and of scripts that write many marks on one letter.
  private static let legitimate = [
    "👨‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏿", "🏳️‍🌈", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "1️⃣", "क्ष्म्य", "ஸ்ரீ", "ག྄ྷ", "ཧྐྵྨླྺྼྻྂ", "ญี่ปุ่น", "Tiếng Việt", "e\u{301}",
    "שָׁלוֹם", "مُحَمَّد", "ᄒ\u{1161}\u{11AB}", "❤️", "葛\u{E0100}",
  ]

  @Test(arguments: legitimate)
  func `clusters that people write are taken and shown as they are`(text: String) throws {
    #expect(try TextLimits.name.checked(text, on: .displayName) == text)
    #expect(TextLimits.name.shown(text) == text)
  }

  @Test func `one cluster of many accents is refused by its accents, and cut to eight`() {
    let hostile = "e" + String(repeating: "\u{301}", count: 200_000)
    for limits in Self.limits {
      #expect(
        throws: FieldProblem(field: .text, advice: "Use at most 8 accents on one character.")
      ) { try limits.checked(hostile, on: .text) }
      #expect(limits.shown(hostile) == "e" + String(repeating: "\u{301}", count: 8))
    }
  }

  @Test func `what follows a cluster that is cut is shown`() {
    let hostile = "e" + String(repeating: "\u{301}", count: 200_000) + " and Ben"
    for limits in Self.limits {
      #expect(limits.shown(hostile) == "e" + String(repeating: "\u{301}", count: 8) + " and Ben")
    }
  }

  @Test func `bytes are limited beside clusters`() throws {
    let letters = String(repeating: "田", count: 40)
    #expect(try TextLimits.name.checked(letters, on: .displayName) == letters)
    let family = String(repeating: "👨‍👩‍👧", count: 9)
    #expect(
      throws: FieldProblem(
        field: .displayName, advice: "Use fewer emoji or accents: this takes 162 of 160 bytes.")
    ) { try TextLimits.name.checked(family, on: .displayName) }
    #expect(TextLimits.name.shown(family) == String(repeating: "👨‍👩‍👧", count: 8))
  }

  @Test func `joiners that hide accents from the eye hide none from the count`() {
    let chain = "e" + String(repeating: "\u{301}\u{200D}", count: 100_000)
    let shown = TextLimits.line.shown(chain)
    #expect(shown.utf8.count <= TextLimits.line.bytes)
    #expect(shown.unicodeScalars.count { $0.value == 0x301 } <= TextLimits.marks)
  }

  @Test(arguments: 0..<200)
  func `what is cut fits, is a beginning, and is not cut again`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pieces = Self.legitimate + ["a", "é", " ", "\u{301}", "\u{200D}", "\u{1B}[31m", "\u{202E}"]
    let text = (0..<Int.random(in: 0...300, using: &random)).map { _ in
      pieces[Int.random(in: 0..<pieces.count, using: &random)]
    }.joined()
    for limits in Self.limits {
      let shown = limits.shown(text)
      #expect(shown.count <= limits.clusters && shown.utf8.count <= limits.bytes)
      #expect(shown.allSatisfy { $0.unicodeScalars.count { $0.value == 0x301 } <= 8 })
      #expect(limits.shown(shown) == shown)
      #expect((try? limits.checked(shown, on: .text)) != nil)
    }
  }

  @Test func `short text is shown as the rules for any text say`() {
    for value in UInt32(0)..<0x3100 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for text in ["\(scalar)", "a\(scalar)b", "a\(scalar)\(scalar)"] {
        #expect(
          TextLimits.name.shown(text) == TextLimits.name.cut(text.cleanedForDisplay), "\(value)")
      }
    }
  }

  @Test func `a megabyte on one letter costs no time`() {
    let hostile = "e" + String(repeating: "\u{301}", count: 500_000)
    let clock = ContinuousClock()
    // Generous: a machine with busy cores takes a tenth of it.
    #expect(clock.measure { _ = TextLimits.name.shown(hostile) } < .seconds(2))
  }
}
