import Testing

@testable import TerminalNcurses

struct ColorNumbersTests {
  private func text(_ numbers: ColorNumbers, _ text: String) -> String {
    String(
      decoding: RepeatedAttributes.removed(from: Array(text.utf8), numbers: numbers),
      as: UTF8.self)
  }

  @Test func `numbers of a frame become the colours that they stand for`() {
    var numbers = ColorNumbers()
    #expect(numbers.number(of: 0x0B3150) == 16)
    #expect(numbers.number(of: 0xA8FBB2) == 17)
    #expect(numbers.number(of: 0x0B3150) == 16)
    #expect(
      text(numbers, "\u{1b}[1;38;5;17;48;5;16mAna\u{1b}[2;5H\u{1b}[48;5;17m ")
        == "\u{1b}[1;38;2;168;251;178;48;2;11;49;80mAna\u{1b}[2;5H\u{1b}[48;2;168;251;178m ")
  }

  @Test func `the terminal's own colours, other sequences and text stay as they are`() {
    var numbers = ColorNumbers()
    #expect(numbers.number(of: 9) == 9)
    #expect(numbers.number(of: -1) == -1)
    _ = numbers.number(of: 0xFFFFFF)
    for frame in [
      "\u{1b}[31m38;5;16m", "\u{1b}]0;38;5;16m\u{7}", "\u{1b}[38;5;9m", "\u{1b}[m", "\u{1b}[",
    ] {
      #expect(text(numbers, frame) == frame)
    }
  }

  @Test func `once all numbers are taken the nearest colour stands in`() {
    var numbers = ColorNumbers()
    for level in 0..<Int32(240) { _ = numbers.number(of: 0x100000 + level) }
    #expect(numbers.number(of: 0x100000) == 16)
    #expect(numbers.number(of: 0x1000FF) == 255)
  }
}
