import Testing

@testable import TerminalKit

struct TerminalAnswerTests {
  private func answers(_ text: String) -> (events: [InputEvent], answers: [TerminalAnswer]) {
    var decoder = KeyDecoder()
    let events = decoder.feed(Array(text.utf8), at: .now)
    return (events, decoder.takeAnswers())
  }

  @Test(arguments: [
    ("rgb:ffff/ffff/ffff", true), ("rgb:1c1c/1c1c/1c1c", false), ("rgb:fd/f6/e3", true),
    ("rgba:0000/0000/0000/ffff", false), ("#282c34", false), ("#fff", true),
    ("rgb:0000/ffff/0000", true), ("rgb:0000/0000/ffff", false),
  ]) func `a background is light or dark by its luma`(report: String, isLight: Bool) {
    for end in ["\u{7}", "\u{1b}\\"] {
      #expect(
        answers("\u{1b}]11;\(report)\(end)").answers == [.background(isLight: isLight)])
    }
  }

  @Test(arguments: ["", "rgb:", "rgb:zz/zz/zz", "rgb:ff/ff", "#12", "#12345", "white"])
  func `what is no colour says nothing`(report: String) {
    #expect(answers("\u{1b}]11;\(report)\u{7}").answers == [])
  }

  @Test func `answers are no keys, and what is typed between them is`() {
    let found = answers(
      "j\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\k\u{1b}[?0u\u{1b}[?2026;2$y\u{1b}[?2031;0$y"
        + "\u{1b}[?997;1n\u{1b}[?65;1;9cé")
    #expect(found.events == [.key(.character("j")), .key(.character("k")), .key(.character("é"))])
    #expect(
      found.answers == [
        .background(isLight: true), .keyboardFlags, .mode(2026, isKnown: true),
        .mode(2031, isKnown: false), .scheme(isLight: false), .attributes,
      ])
  }

  @Test func `an answer that comes in pieces, and late, counts`() {
    var decoder = KeyDecoder()
    let start = ContinuousClock.now
    #expect(decoder.feed(Array("\u{1b}[?62".utf8), at: start) == [])
    #expect(decoder.flush(at: start + .seconds(1)) == [])
    #expect(decoder.feed(Array(";4c".utf8), at: start + .milliseconds(1100)) == [])
    #expect(decoder.takeAnswers() == [.attributes])
    #expect(decoder.takeAnswers() == [])
  }

  @Test(arguments: [
    ("0;15", true), ("15;0", false), ("15;default;0", false), ("0;7", true), ("12;8", false),
  ]) func `COLORFGBG names the background last`(value: String, isLight: Bool) {
    #expect(TerminalAnswer.isLight(colors: value) == isLight)
    #expect(TerminalAnswer.isLight(colors: nil) == nil)
    #expect(TerminalAnswer.isLight(colors: "default") == nil)
  }
}
