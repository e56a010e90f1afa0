import Testing

@testable import TerminalKit
@testable import TerminalNcurses

@Suite struct TerminalQueryResultTests {
  private func widths(_ change: (Int) -> Int = { _ in 0 }) -> String {
    TerminalQueryResult.samples.enumerated().map { index, sample in
      "\u{1b}[1;\(CellWidth.width(of: sample.text) + change(index) + 1)R"
    }.joined()
  }

  private func examine(_ answers: String) -> TerminalQueryResult {
    TerminalQueryResult(Array(answers.utf8))
  }

  @Test func `a terminal that understands everything is heard`() {
    let found = examine(
      "\u{1b}P>|kitty(0.35.2)\u{1b}\\\u{1b}[?1u\u{1b}[?2004;2$y\u{1b}[?1006;2$y\u{1b}[?1004;1$y"
        + "\u{1b}[?2026;2$y\u{1b}]11;rgb:1c1c/1c1c/1c1c\u{1b}\\\u{1b}P1+r4d73=1b\u{1b}\\"
        + widths() + "\u{1b}[?62;52c")
    #expect(found.hasAnswered)
    #expect(found.name == "kitty(0.35.2)")
    #expect(found.background == "dark")
    for answer in [
      found.keyboard, found.paste, found.mouse, found.focus, found.synchronized, found.clipboard,
    ] { #expect(answer == .yes) }
    #expect(found.widths.allSatisfy { $0.measured == $0.expected })
  }

  @Test func `what is not understood, refused, or typed meanwhile is told apart`() {
    let found = examine(
      "jq\u{1b}[?2004;2$y\u{1b}[?1006;0$y\u{1b}[A\u{1b}[?2026;4$y\u{1b}[12~"
        + widths { $0 == 6 ? 2 : 0 } + "\u{1b}[?1;2c")
    #expect(found.paste == .yes)
    #expect(found.mouse == .no)
    #expect(found.focus == .unknown)
    #expect(found.synchronized == .no)
    #expect(found.keyboard == .no)
    #expect(found.clipboard == .unknown)
    #expect(found.name == nil)
    #expect(found.widths.filter(\.differs).map(\.name) == ["emoji with tone"])
  }

  @Test func `silence, half an answer and missing widths are no measurements`() {
    #expect(!examine("").hasAnswered)
    #expect(examine("").keyboard == .unknown)
    #expect(examine("\u{1b}[?62").widths.allSatisfy { $0.measured == nil })
    #expect(examine("\u{1b}[1;2R\u{1b}[?62c").widths.allSatisfy { $0.measured == nil })
    #expect(examine("\u{1b}]11;rgb:ffff").background == nil)
    #expect(examine("\u{1b}]11;rgb:ff/ff/ff\u{07}\u{1b}[?6c").background == "light")
  }

  @Test func `only what is drawn is measured: one picture for a family, letters for a flag`() {
    #expect(TerminalQueryResult.drawn("👨‍👩‍👧") == "👨")
    #expect(!TerminalQueryResult.questions.contains("\u{200D}"))
    for sample in TerminalQueryResult.samples {
      #expect(
        CellWidth.width(of: TerminalQueryResult.drawn(sample.text))
          == CellWidth.width(of: sample.text), "\(sample.name)")
    }
  }
}
