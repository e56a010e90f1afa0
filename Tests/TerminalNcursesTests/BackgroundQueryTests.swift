import Foundation
import RallyTestSupport
import Testing

@testable import TerminalKit
@testable import TerminalNcurses

struct BackgroundQueryTests {
  private func parse(_ text: String) -> BackgroundQuery.Answer {
    BackgroundQuery.parse(Array(text.utf8))
  }

  @Test(arguments: [
    ("rgb:ffff/ffff/ffff", true), ("rgb:1c1c/1c1c/1c1c", false), ("rgb:fd/f6/e3", true),
    ("rgba:0000/0000/0000/ffff", false), ("#282c34", false), ("#fff", true),
    ("rgb:0000/ffff/0000", true), ("rgb:0000/0000/ffff", false),
  ]) func `a background is light or dark by its luma`(report: String, isLight: Bool) {
    #expect(BackgroundQuery.isLight(report: report) == isLight)
  }

  @Test(arguments: ["", "rgb:", "rgb:zz/zz/zz", "rgb:ff/ff", "#12", "#12345", "white"])
  func `what is no colour says nothing`(report: String) {
    #expect(BackgroundQuery.isLight(report: report) == nil)
  }

  @Test func `the answers are taken out of what was typed meanwhile`() {
    let answer = parse("j\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\k\u{1b}[?65;1;9cé\u{1b}[A")
    #expect(answer.isLight == true)
    #expect(answer.typed == Array("jké\u{1b}[A".utf8))
    #expect(parse("\u{1b}]11;rgb:0000/0000/0000\u{07}\u{1b}[?6c").isLight == false)
  }

  @Test func `a terminal that knows no colours answers only for its attributes`() {
    #expect(parse("\u{1b}[?6c") == BackgroundQuery.Answer(isLight: nil, typed: []))
  }

  @Test(arguments: [
    ("0;15", true), ("15;0", false), ("15;default;0", false), ("0;7", true), ("12;8", false),
  ]) func `COLORFGBG names the background last`(value: String, isLight: Bool) {
    #expect(BackgroundQuery.isLight(colors: value) == isLight)
    #expect(BackgroundQuery.isLight(colors: nil) == nil)
    #expect(BackgroundQuery.isLight(colors: "default") == nil)
  }

  @Test func `a terminal that is asked is asked in two sequences, and its answer is waited for`()
    async throws
  {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let answer = Array("\u{1b}]11;rgb:eeee/e8e8/d5d5\u{07}x\u{1b}[?62c".utf8)
    #expect(write(ends[1], answer, answer.count) == answer.count)
    let background = BackgroundQuery.ask(input: ends[0], output: ends[0], limit: .seconds(10))
    #expect(background == .init(isLight: true, typed: Array("x".utf8), hasEnded: true))
    var request = [UInt8](repeating: 0, count: 100)
    let count = read(ends[1], &request, request.count)
    #expect(
      String(decoding: request[..<max(0, count)], as: UTF8.self) == "\u{1b}]11;?\u{1b}\\\u{1b}[c")
  }

  @Test func `a terminal that is silent is not waited for, and the environment is believed`() throws
  {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let background = BackgroundQuery.ask(
      input: ends[0], output: ends[0], limit: .milliseconds(1), environment: ["COLORFGBG": "0;15"])
    #expect(background == .init(isLight: true, typed: []))
  }
}
