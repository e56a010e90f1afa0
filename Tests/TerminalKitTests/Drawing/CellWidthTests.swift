import CNcurses
import Foundation
import Testing

@testable import TerminalKit

@Suite struct CellWidthTests {
  @Test(arguments: [
    ("a", 1), ("é", 1), ("e\u{301}", 1), ("漢", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2),
    ("🎉", 2), ("👍🏽", 2), ("👨‍👩‍👧", 2), ("🇵🇹", 2), ("⚠", 1), ("⚠\u{FE0F}", 2), ("1\u{FE0F}\u{20E3}", 2),
    ("❤\u{FE0F}", 2),
    ("\u{0}", 0), ("\u{1b}", 0), ("\u{200B}", 0), ("\u{301}", 0), ("⣿", 1), ("─", 1), ("●", 1),
    ("…", 1), ("\u{7f}", 0), ("🏴‍☠️", 2),
  ])
  func `a cluster takes the cells that terminals give it`(_ text: String, _ width: Int) {
    #expect(text.cellWidth == width)
  }

  @Test func `what is drawn of a cluster is as wide as the cluster`() {
    for text in [
      "a", "漢", "👍🏽", "👨‍👩‍👧", "🇵🇹", "⚠\u{FE0F}", "1\u{FE0F}\u{20E3}", "\u{1F1F5}", "é", "क्षि", "ก็",
    ] {
      for character in text {
        let pieces = CellWidth.pieces(of: character)
        #expect(pieces.reduce(0) { $0 + $1.width } == CellWidth.width(of: character), "\(text)")
        #expect(pieces.allSatisfy { $0.text.unicodeScalars.count <= 5 })
      }
    }
    #expect(CellWidth.pieces(of: "👨‍👩‍👧").map(\.text) == ["👨"])
    #expect(CellWidth.pieces(of: "🇵🇹").map(\.text) == ["P", "T"])
  }

  @Test func `a cell is small and plain`() {
    #expect(MemoryLayout<Cell>.stride <= 12)
    #expect(_isPOD(Cell.self))
  }

  @Test func `an endless pile of marks is cut to what a cell holds`() {
    let character = Character("e" + String(repeating: "\u{301}", count: 40))
    #expect(CellWidth.pieces(of: character).map(\.text) == ["e\u{301}\u{301}\u{301}\u{301}"])
  }

  /// Where the C library of some system differs, and why.
  static let knownDifferences: [ClosedRange<UInt32>] = [
    // Numbers in black squares: ambiguous by the database, wide in glibc.
    0x3248...0x324F,
    // Hexagrams and kin: neutral in Unicode 15, wide in glibc and since Unicode 16.
    0x4DC0...0x4DFF, 0x2630...0x2637, 0x268A...0x268F, 0x1D300...0x1D356, 0x1D360...0x1D376,
  ]

  @Test func `the C library, which ncurses asks, agrees on all scalars but those known to differ`()
  {
    setlocale(LC_CTYPE, "C.UTF-8")
    var differences: [String] = []
    for value in (0xA0 as UInt32)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age,
        age.major <= 15, !Self.knownDifferences.contains(where: { $0.contains(value) })
      else { continue }
      let theirs = rally_curses_wcwidth(wchar_t(bitPattern: value))
      if theirs >= 0, Int(theirs) != CellWidth.width(of: scalar) {
        differences.append("\(String(value, radix: 16)): \(theirs)")
      }
    }
    #expect(differences == [])
    #expect(CellWidthTable.unicodeVersion == "15.0.0")
  }

  @Test(arguments: [
    ("ж", 1, 2), ("Ω", 1, 2), ("é", 1, 2), ("e\u{301}", 1, 1), ("a", 1, 1), ("漢", 2, 2),
    ("│", 1, 1), ("●", 1, 1), ("…", 1, 1), ("·", 1, 1), ("°", 1, 1), ("⣿", 1, 1), ("🎉", 2, 2),
    ("\u{301}", 0, 0), ("\u{AD}", 1, 1), ("\u{1b}", 0, 0),
  ])
  func `foreign letters are wide where the terminal has them so, our own signs never`(
    _ text: String, _ narrow: Int, _ wide: Int
  ) {
    let character = Character(text)
    #expect(CellWidth.width(of: character, TextWidths()) == narrow)
    let widths = TextWidths(isAmbiguousWide: true)
    #expect(CellWidth.width(of: character, widths) == wide)
    #expect(CellWidth.pieces(of: character, widths).reduce(0) { $0 + $1.width } == wide)
  }

  @Test(arguments: [
    ("🎉", ":party popper:"), ("👍🏽", ":thumbs up sign:"), ("👨‍👩‍👧", ":man woman girl:"),
    ("🇵🇹", ":PT:"), ("❤\u{FE0F}", ":heavy black heart:"), ("1\u{FE0F}\u{20E3}", ":1:"),
    ("🏴‍☠️", ":waving black flag:"), ("😂", ":face with tears of:"), ("⌚", ":watch:"),
  ])
  func `an emoji can be words, as wide as they are`(_ emoji: String, _ words: String) {
    let widths = TextWidths(spellsEmoji: true)
    let character = Character(emoji)
    #expect(CellWidth.pieces(of: character, widths).map(\.text).joined() == words)
    #expect(CellWidth.width(of: character, widths) == words.count)
  }

  @Test(arguments: ["a", "1", "#", "é", "漢", "⚠", "●", "✓", "e\u{301}", "©"])
  func `what is no picture stays as it is`(_ text: String) {
    #expect(EmojiText.text(for: Character(text)) == nil)
  }
}

@Suite struct CellTextTests {
  @Test func `text is cut by cells, never through a wide character`() {
    #expect("hello".truncated(toCells: 5) == "hello")
    #expect("hello".truncated(toCells: 4) == "hel…")
    #expect("漢字かな".truncated(toCells: 8) == "漢字かな")
    #expect("漢字かな".truncated(toCells: 7) == "漢字か…")
    #expect("漢字かな".truncated(toCells: 6) == "漢字…")
    #expect("漢".truncated(toCells: 1) == "…")
    #expect("a".truncated(toCells: 0) == "")
    #expect("".truncated(toCells: 3) == "")
  }

  @Test func `every cut fits`() {
    let text = "a漢👨‍👩‍👧e\u{301}🇵🇹b⚠\u{FE0F}한글"
    for limit in 0...20 { #expect(text.truncated(toCells: limit).cellWidth <= limit) }
    for limit in 0...20 { #expect(text.padded(toCells: limit).cellWidth == limit) }
    for limit in 2...20 {
      #expect(text.wrapped(toCells: limit).allSatisfy { $0.cellWidth <= limit })
      #expect(text.wrapped(toCells: limit).joined() == text)
    }
  }

  @Test func `text is filled to its cells on the side asked for`() {
    #expect("漢".padded(toCells: 4) == "漢  ")
    #expect("漢".padded(toCells: 4, alignment: .trailing) == "  漢")
    #expect("漢".padded(toCells: 4, alignment: .center) == " 漢 ")
  }

  @Test func `lines break at blanks, long words where they must`() {
    #expect("one two three".wrapped(toCells: 7) == ["one two", "three"])
    #expect("abcdefgh ij".wrapped(toCells: 3) == ["abc", "def", "gh", "ij"])
    #expect("a\n\nb".wrapped(toCells: 9) == ["a", "", "b"])
    #expect("".wrapped(toCells: 9) == [""])
  }
}
