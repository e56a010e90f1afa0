import Testing

@testable import TerminalKit

@Suite struct KeyDecoderTests {
  private let start = ContinuousClock.now

  private func decode(_ text: String) -> [InputEvent] {
    var decoder = KeyDecoder()
    return decoder.feed(Array(text.utf8), at: start)
      + decoder.flush(at: start + .milliseconds(25))
  }

  private func chord(_ text: String) -> InputEvent {
    .key(KeyChord(text) ?? KeyChord(.escape))
  }

  @Test(arguments: [
    ("a", "a"), ("\r", "↵"), ("\t", "Tab"), ("\u{7f}", "BS"), ("\u{1}", "^A"), ("\u{1a}", "^Z"),
    ("\u{1b}[A", "↑"), ("\u{1b}OB", "↓"), ("\u{1b}[5~", "PgUp"), ("\u{1b}[H", "Home"),
    ("\u{1b}[4~", "End"), ("\u{1b}[Z", "S-Tab"), ("\u{1b}b", "M-b"), ("\u{1b}[1;5C", "C-→"),
    ("\u{1b}OP", "F1"), ("\u{1b}[15~", "F5"), ("\u{1b}[24~", "F12"), ("\u{1b}[[A", "F1"),
    ("\u{1b}", "Esc"), ("\u{1b}\u{7f}", "M-BS"), ("\u{1b}[27;5;107~", "^K"),
    ("\u{1b}[107;5u", "^K"), ("漢", "漢"), ("é", "é"), ("🎉", "🎉"), ("\u{1b}é", "M-é"),
    ("\u{1c}", "^\\"), ("\u{0}", "C-Space"), ("\u{1b}[3~", "Del"),
  ])
  func `a key's bytes are its chord`(_ bytes: String, _ name: String) {
    #expect(decode(bytes) == [chord(name)])
  }

  @Test(arguments: [
    ("\u{1b}[1081::113;;1081u", "й", "q"), ("\u{1b}[1081:1049:113;2;1049u", "Й", "Q"),
    ("\u{1b}[1078:1046:59;2;1046u", "Ж", ":"), ("\u{1b}[1078::59u", "ж", ";"),
    ("\u{1b}[945::97;65;945u", "α", "a"),
  ])
  func `a letter of another alphabet comes with the key at its place`(
    _ bytes: String, _ letter: Character, _ place: Character
  ) {
    #expect(
      decode(bytes) == [.letter(.character(letter), place: .character(place))])
    // Latin layouts differ too: their letters are the keys that are written on them.
    #expect(decode("\u{1b}[122::121;;122u") == [chord("z")])
    #expect(decode("\u{1b}[252::91;;252u") == [chord("ü")])
  }

  @Test func `mouse, focus and paste are events of their own`() {
    #expect(
      decode("\u{1b}[<0;5;3M\u{1b}[<0;5;3m\u{1b}[<64;1;1M\u{1b}[I\u{1b}[O") == [
        .mouse(MouseEvent(kind: .press, position: Point(x: 4, y: 2))),
        .mouse(MouseEvent(kind: .release, position: Point(x: 4, y: 2))),
        .mouse(MouseEvent(kind: .wheelUp, position: .zero)), .focus(true), .focus(false),
      ])
    #expect(decode("\u{1b}[200~q\u{1b}[A\r\u{1b}[201~x") == [.paste("q\u{1b}[A\r"), chord("x")])
  }

  @Test func `bytes may be cut anywhere`() {
    let text =
      "a漢🎉\u{1b}[1;5A\u{1b}OPé\u{1b}x\u{1b}[200~p\u{1b}[2漢\n\u{1b}[201~\u{1b}[<35;10;20M"
      + "\u{1b}]11;rgb:0/0/0\u{1b}\\z\u{1b}[?64;1c\u{1b}[24~"
    let bytes = Array(text.utf8)
    let whole = decode(text)
    for cut in 1..<bytes.count {
      for second in cut..<bytes.count {
        var decoder = KeyDecoder()
        var events = decoder.feed(bytes[..<cut], at: start)
        events += decoder.feed(bytes[cut..<second], at: start + .milliseconds(1))
        events += decoder.feed(bytes[second...], at: start + .milliseconds(2))
        #expect(events == whole, "cut at \(cut) and \(second)")
      }
    }
    var decoder = KeyDecoder()
    #expect(bytes.flatMap { decoder.feed([$0], at: start) } == whole)
  }

  @Test func `an Esc waits 25 ms for the rest, and is then a key`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B], at: start) == [])
    #expect(decoder.deadline == start + .milliseconds(25))
    #expect(decoder.flush(at: start + .milliseconds(24)) == [])
    #expect(decoder.flush(at: start + .milliseconds(25)) == [chord("Esc")])
    #expect(decoder.deadline == nil)

    #expect(decoder.feed([0x1B], at: start + .seconds(1)) == [])
    #expect(
      decoder.feed([0x5B, 0x41], at: start + .milliseconds(1026)) == [
        chord("Esc"), chord("["), chord("A"),
      ])
  }

  @Test func `two Escs are two, and an Esc before a sequence is kept apart from it`() {
    #expect(decode("\u{1b}\u{1b}") == [chord("Esc"), chord("Esc")])
    #expect(decode("\u{1b}\u{1b}[A") == [chord("Esc"), chord("↑")])
  }

  @Test func `garbage is dropped whole and never typed`() {
    #expect(decode("\u{1b}[?1;2c\u{1b}[999;999~\u{1b}P1$r0m\u{1b}\\x") == [chord("x")])
    var decoder = KeyDecoder()
    #expect(
      decoder.feed([0xC3, 0x28, 0xFF, 0x80, 0xF0, 0x9F, 0x78, 0xED, 0xA0, 0x80], at: start)
        == [chord("("), chord("x")])
    #expect(decode("\u{1b}[12\u{1b}[A") == [chord("↑")])
  }

  @Test func `half a sequence waits longer than an Esc, since nobody types it`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}[1;".utf8), at: start) == [])
    #expect(decoder.flush(at: start + .milliseconds(400)) == [])
    #expect(decoder.feed(Array("5C".utf8), at: start + .milliseconds(410)) == [chord("C-Right")])
    #expect(decoder.feed([0xE6, 0xBC], at: start + .seconds(1)) == [])
    #expect(decoder.feed([0xA2], at: start + .milliseconds(1300)) == [chord("漢")])
  }

  @Test(arguments: [
    ("\u{1b}[?62;4", "22c"), ("\u{1b}[1;", "5B"), ("\u{1b}[", "B"), ("\u{1b}O", "B"),
    ("\u{1b}O5", "A"), ("\u{1b}[<35;10;", "20M"), ("\u{1b}[[", "A"), ("\u{1b}[97;5", "u"),
  ])
  func `what completes a sequence too late is no key, and the next one is`(
    _ first: String, _ second: String
  ) {
    for wait in [501, 800, 1400] {
      var decoder = KeyDecoder()
      #expect(decoder.feed(Array(first.utf8), at: start) == [])
      #expect(decoder.flush(at: start + .milliseconds(501)) == [])
      let late = start + .milliseconds(wait)
      #expect(decoder.feed(Array(second.utf8), at: late) == [], "\(wait)")
      #expect(decoder.deadline == nil)
      #expect(decoder.feed(Array("k".utf8), at: late) == [chord("k")])
    }
  }

  @Test func `a paste whose beginning came late is still a paste`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}[200".utf8), at: start) == [])
    #expect(decoder.flush(at: start + .milliseconds(501)) == [])
    #expect(
      decoder.feed(Array("~!\u{1b}[201~q".utf8), at: start + .seconds(1))
        == [.paste("!"), chord("q")])
  }

  @Test func `a sequence whose rest never comes holds up no key for longer than it is waited for`()
  {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}[1;".utf8), at: start) == [])
    #expect(decoder.feed(Array("\u{1b}[A".utf8), at: start + .seconds(1)) == [chord("↑")])
    #expect(decoder.feed(Array("\u{1b}[1;".utf8), at: start + .seconds(2)) == [])
    #expect(decoder.flush(at: start + .seconds(6)) == [])
    #expect(decoder.deadline == nil)
    #expect(decoder.feed(Array("k".utf8), at: start + .seconds(6)) == [chord("k")])
    // Alt and a letter, typed by hand, have the same first bytes.
    #expect(decoder.feed(Array("\u{1b}[".utf8), at: start + .seconds(7)) == [])
    #expect(decoder.flush(at: start + .milliseconds(8_501)) == [chord("M-[")])
  }

  @Test func `letters of a charset of single bytes are typed and pasted, and UTF-8 stays UTF-8`() {
    let charset = SingleByteCharset(upper: (0x80...0xFF).map { Unicode.Scalar(UInt32($0)) })
    var decoder = KeyDecoder(charset: charset)
    #expect(
      decoder.feed([0x4B, 0xF6, 0x6C, 0x6E], at: start)
        == [chord("K"), chord("ö"), chord("l"), chord("n")])
    // It could begin a letter of UTF-8.
    #expect(decoder.feed([0xE4], at: start) == [])
    #expect(decoder.flush(at: start + .milliseconds(25)) == [chord("ä")])
    #expect(decoder.feed([0xE4, 0x1B, 0x5B, 0x41], at: start) == [chord("ä"), chord("↑")])
    #expect(decoder.feed(Array("ö漢".utf8), at: start) == [chord("ö"), chord("漢")])
    #expect(decoder.feed([0x1B, 0xFC], at: start) == [chord("M-ü")])
    // A control character of the upper half is no letter.
    #expect(decoder.feed([0x9B, 0x6B], at: start) == [chord("k")])
    let pasted = Array("\u{1b}[200~K".utf8) + [0xF6, 0x6C, 0x6E] + Array("\u{1b}[201~".utf8)
    #expect(decoder.feed(pasted, at: start) == [.paste("Köln")])
    #expect(decoder.feed(Array("\u{1b}[200~Köln\u{1b}[201~".utf8), at: start) == [.paste("Köln")])
  }

  @Test func `a slow answer of the terminal is never typed`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}]11;rgb:ff".utf8), at: start) == [])
    #expect(decoder.flush(at: start + .milliseconds(600)) == [])
    #expect(decoder.feed(Array("ff/ffff/".utf8), at: start + .milliseconds(700)) == [])
    #expect(decoder.feed(Array("ffff\u{1b}".utf8), at: start + .milliseconds(800)) == [])
    #expect(decoder.feed(Array("\\k".utf8), at: start + .milliseconds(801)) == [chord("k")])

    let long = "\u{1b}]52;c;" + String(repeating: "QUJD", count: 9_000)
    #expect(decoder.feed(Array(long.utf8), at: start + .seconds(2)) == [])
    #expect(decoder.feed(Array("QQ==\u{7}k".utf8), at: start + .seconds(2)) == [chord("k")])

    #expect(decoder.feed(Array("\u{1b}Pnever ends".utf8), at: start + .seconds(4)) == [])
    #expect(decoder.flush(at: start + .milliseconds(4_500)) == [])
    #expect(decoder.flush(at: start + .milliseconds(5_500)) == [])
    #expect(decoder.feed([0x6B], at: start + .seconds(6)) == [chord("k")])
  }

  @Test(arguments: ["\u{1b}", "\u{3}"])
  func `a paste whose end was lost is left by Esc and by control C`(_ way: String) {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}[200~half a".utf8), at: start) == [])
    #expect(decoder.flush(at: start + .seconds(60)) == [])
    #expect(decoder.feed(Array("q".utf8), at: start + .seconds(61)) == [])
    let left =
      decoder.feed(Array(way.utf8), at: start + .seconds(63))
      + decoder.flush(at: start + .seconds(64))
    #expect(left == [.paste("half aq")])
    #expect(decoder.feed(Array("q".utf8), at: start + .seconds(65)) == [chord("q")])
  }

  @Test func `an Esc in the middle of a paste does not end it`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1b}[200~a".utf8), at: start) == [])
    #expect(decoder.feed([0x1B], at: start + .milliseconds(500)) == [])
    #expect(decoder.flush(at: start + .seconds(9)) == [])
    #expect(
      decoder.feed(Array("[201~".utf8), at: start + .seconds(10)) == [.paste("a")])
  }

  @Test func `a paste too long to wait for is cut between two characters`() {
    var decoder = KeyDecoder()
    let text = String(repeating: "漢", count: PasteCollector.limit / 3 + 60_000)
    var events: [InputEvent] = []
    var rest = Array(("\u{1b}[200~" + text + "\u{1b}[201~").utf8)[...]
    while !rest.isEmpty {
      events += decoder.feed(rest.prefix(65_521), at: start)
      rest = rest.dropFirst(65_521)
    }
    let pasted = events.map { if case .paste(let text) = $0 { text } else { "" } }
    #expect(pasted.count == 2)
    #expect(pasted.joined() == text)
  }

  @Test func `a long paste is one event and does not take long`() {
    let text = String(repeating: "0123456789", count: 10_000)
    var decoder = KeyDecoder()
    let bytes = Array(("\u{1b}[200~" + text + "\u{1b}[201~").utf8)
    var events: [InputEvent] = []
    for chunk in stride(from: 0, to: bytes.count, by: 4096) {
      events += decoder.feed(bytes[chunk..<min(chunk + 4096, bytes.count)], at: start)
    }
    #expect(events == [.paste(text)])
  }

  @Test func `sequences of this terminal's own description are known`() {
    var decoder = KeyDecoder(terminfo: [(Array("\u{1b}[7$".utf8), KeyChord(.home, .shift))])
    #expect(decoder.feed(Array("\u{1b}[7".utf8), at: start) == [])
    #expect(decoder.feed(Array("$".utf8), at: start) == [.key(KeyChord(.home, .shift))])
  }
}
