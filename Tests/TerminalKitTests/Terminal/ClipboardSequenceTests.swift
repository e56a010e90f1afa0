import Foundation
import Testing

@testable import TerminalKit

@Suite struct ClipboardSequenceTests {
  private func sent(_ text: String, _ environment: [String: String] = [:]) -> String {
    String(
      decoding: ClipboardSequence.bytes(copying: text, wrapping: .init(environment)),
      as: UTF8.self)
  }

  @Test func `a text is sent as base64, so that nothing in it is a command`() {
    #expect(sent("a\u{07}\u{1b}[2J") == "\u{1b}]52;c;YQcbWzJK\u{07}")
    #expect(sent("", ["TMUX": "", "STY": ""]) == "\u{1b}]52;c;\u{07}")
  }

  @Test func `screen passes it on in pieces that it does not drop`() {
    let text = String(repeating: "lantern ", count: 40)
    let wrapped = sent(text, ["STY": "7.pts-0.host"])
    let pieces = wrapped.components(separatedBy: "\u{1b}P").dropFirst()
    #expect(pieces.count > 5)
    #expect(pieces.allSatisfy { $0.hasSuffix("\u{1b}\\") && $0.utf8.count <= 76 + 2 })
    #expect(pieces.map { $0.dropLast(2) }.joined() == sent(text))
  }

  @Test func `the longest text that is taken makes no sequence longer than terminals read`() throws
  {
    let text = String(repeating: "a", count: ClipboardError.limit)
    try ClipboardError.check(text)
    #expect(sent(text).utf8.count <= 100_000)
    #expect(throws: ClipboardError.tooLong(bytes: 74_995)) {
      try ClipboardError.check(text + "a")
    }
    #expect(
      ClipboardError.tooLong(bytes: 74_995).sentence
        == "It is too long to be copied: 74995 bytes, and terminals take 74994.")
  }
}
