import RallyTestSupport
import Testing

@testable import TerminalNcurses

struct RepeatedAttributesTests {
  private func removed(_ text: String) -> String {
    String(decoding: RepeatedAttributes.removed(from: Array(text.utf8)), as: UTF8.self)
  }

  @Test(
    arguments: [
      (
        "\u{1B}[38;5;1mé\u{1B}[48;5;2ma\u{1B}[38;5;3m\u{1B}[48;5;2mb",
        "\u{1B}[38;5;1mé\u{1B}[48;5;2ma\u{1B}[38;5;3mb"
      ),
      ("\u{1B}[38;2;1;2;3ma\u{1B}[38;2;1;2;3mb", "\u{1B}[38;2;1;2;3mab"),
      ("\u{1B}[31ma\u{1B}[5;9H\u{1B}[31mb", "\u{1B}[31ma\u{1B}[5;9Hb"),
      ("\u{1B}[39ma\u{1B}[39m\u{1B}[100m\u{1B}[100mb", "\u{1B}[39ma\u{1B}[100mb"),
      ("\u{1B}[38;5;1;4ma\u{1B}[38;5;1;4mb", nil), ("\u{1B}[38ma\u{1B}[38mb", nil),
      ("\u{1B}[31ma\u{1B}[1;31mb", nil), ("\u{1B}[1ma\u{1B}[1mb", nil),
      ("\u{1B}[22ma\u{1B}[22mb", nil), ("\u{1B}[38:5:1ma\u{1B}[38:5:1mb", nil),
      // From a reset on everything is known, and set in the shortest way before the next character.
      ("\u{1B}[ma\u{1B}[m\u{1B}[31mb\u{1B}[m\u{1B}[31mc", "\u{1B}[ma\u{1B}[31mbc"),
      ("\u{1B}[m\u{1B}[2;9H\u{1B}[0;1ma\u{1B}[0;1;7mb", "\u{1B}[2;9H\u{1B}[0;1ma\u{1B}[7mb"),
      ("\u{1B}[0;1ma\u{1B}[m\u{1B}[32m\u{1B}[44mb", "\u{1B}[0;1ma\u{1B}[0;32;44mb"),
      ("\u{1B}[0;31ma\u{1B}[39;49mb", "\u{1B}[0;31ma\u{1B}[mb"),
      ("\u{1B}[0;1ma\u{1B}[m\u{1B}[K", nil),
      ("\u{1B}[0;1ma\u{1B}[m\r\u{1B}[3d", "\u{1B}[0;1ma\r\u{1B}[3d\u{1B}[m"),
      // A blank shows its background, and whether it is underlined or reversed.
      ("\u{1B}[0;2ma\u{1B}[m  \u{1B}[2mb", "\u{1B}[0;2ma  b"),
      ("\u{1B}[0;2ma\u{1B}[m  b", "\u{1B}[0;2ma  \u{1B}[mb"),
      ("\u{1B}[0;31ma\u{1B}[39m \u{1B}[32mb", "\u{1B}[0;31ma \u{1B}[32mb"),
      ("\u{1B}[0;7ma\u{1B}[m b", nil), ("\u{1B}[0;4ma\u{1B}[m b", nil),
      ("\u{1B}[ma\u{1B}[44m b", nil), ("\u{1B}[0;7;31ma\u{1B}[32m b", nil),
      ("a\u{1B}[2m b", nil), ("\u{1B}[0;2ma\u{1B}[m \u{1B}[K", "\u{1B}[0;2ma \u{1B}[m\u{1B}[K"),
      // ncurses chooses the character set with each reset.
      ("\u{1B}(B\u{1B}[ma\u{1B}(B\u{1B}[mb", "\u{1B}(B\u{1B}[mab"),
      ("\u{1B}[m\u{F}a\u{1B}[m\u{F}b\u{E}q\u{F}", "\u{1B}[m\u{F}ab\u{E}q\u{F}"),
      ("\u{1B}(Ba\u{1B}(0q\u{1B}(Bb", nil),
      // What is no such sequence, or is cut off, stays as it is.
      ("\u{1B}(B\u{1B}[?25l\u{1B}]2;t\u{7}\u{1B}[3", nil), ("\u{1B}", nil),
      ("\u{1B}]2;\u{F}a\u{F}b\u{1B}\\\u{1B}]8;;\u{1B}\\", nil), ("\u{1B}]2;a", nil),
      ("\u{1B}(", nil), ("\u{1B}[", nil),
      ("", nil),
    ] as [(String, String?)])
  func `an attribute that is set already is not set again`(bytes: String, kept: String?) {
    #expect(removed(bytes) == kept ?? bytes)
  }

  @Test func `a terminal shows the same with fewer bytes`() {
    var random = SeededGenerator(seed: 19)
    let pieces = [
      "\u{1B}[38;5;\(1)m", "\u{1B}[38;5;2m", "\u{1B}[48;5;3m", "\u{1B}[48;5;4m", "\u{1B}[31m",
      "\u{1B}[m", "\u{1B}[0;1m", "\u{1B}[39;49m", "\u{1B}[39m", "\u{1B}[49m", "\u{1B}[2;3H", "a",
      "⠿", " ", "  b",
      "\u{1B}[38;2;1;2;3m", "\u{1B}[48;2;1;2;3m", "\u{1B}[7m", "\u{1B}[K",
      "\u{1B}[0;7m", "\u{1B}[0;2;4m", "\u{1B}[22m", "\u{1B}(B", "\u{1B}(0", "\u{F}", "\r", "q",
      "\u{1B}[5P",
    ]
    for _ in 0..<400 {
      let text = (0..<60).compactMap { _ in pieces.randomElement(using: &random) }.joined()
      var (whole, fewer) = (
        ScreenEmulator(rows: 4, columns: 20), ScreenEmulator(rows: 4, columns: 20)
      )
      whole.feed(text)
      fewer.feed(removed(text))
      for row in 0..<4 {
        #expect(whole.cells(row: row).map(visible) == fewer.cells(row: row).map(visible))
      }
      #expect(removed(text).utf8.count <= text.utf8.count)
    }
  }

  /// A cell without what nobody sees of a blank.
  private func visible(_ cell: ScreenCell) -> ScreenCell {
    guard cell.text == " ", !cell.style.reverse else { return cell }
    var seen = ScreenCell.blank
    seen.style.background = cell.style.background
    seen.style.underline = cell.style.underline
    return seen
  }
}
