import CNcurses
import Foundation
import Testing

@testable import RallyTUI

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

  @Test func `an endless pile of marks is cut to what a cell holds`() {
    let character = Character("e" + String(repeating: "\u{301}", count: 40))
    #expect(CellWidth.pieces(of: character).map(\.text) == ["e\u{301}\u{301}\u{301}\u{301}"])
  }

  @Test func `the C library, which ncurses asks, agrees on nearly all scalars`() {
    setlocale(LC_CTYPE, "C.UTF-8")
    var differences = 0
    for value in (0xA0 as UInt32)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let theirs = cn_wcwidth(wchar_t(bitPattern: value))
      if theirs >= 0, Int(theirs) != CellWidth.width(of: scalar) { differences += 1 }
    }
    #expect(differences < 200)
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
