import RallyTestSupport
import Testing

@testable import TerminalKit

/// Bytes that nobody meant, from fixed seeds.
@Suite struct KeyDecoderFuzzTests {
  private let start = ContinuousClock.now
  private let pasteEnd = Array("\u{1b}[201~".utf8)

  /// Half of them from what sequences are made of, so that deep states are met.
  private func garbage(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let alphabet = Array("\u{1b}\u{1b}[[O]P<;:?~$^@M0123259ABIZRumq\u{7}\\漢".utf8)
    return (0..<count).map { _ in
      Bool.random(using: &generator)
        ? alphabet.randomElement(using: &generator) ?? 0
        : UInt8.random(in: 0...255, using: &generator)
    }
  }

  @Test(arguments: 1...40)
  func `after whatever bytes it is ready for the next key`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<100 {
      var decoder = KeyDecoder()
      var time = start
      let bytes = garbage(.random(in: 1...80, using: &generator), &generator)
      for byte in bytes {
        if Int.random(in: 0..<10, using: &generator) == 0 {
          time += .milliseconds(.random(in: 1...900, using: &generator))
          _ = decoder.flush(at: time)
        }
        _ = decoder.feed([byte], at: time)
      }
      _ = decoder.feed(pasteEnd, at: time)
      for _ in 0..<4 {
        time += .seconds(2)
        _ = decoder.flush(at: time)
      }
      #expect(decoder.deadline == nil)
      let after = decoder.feed(Array("k".utf8), at: time)
      #expect(after == [.key(.character("k"))], "\(bytes)")
    }
  }

  @Test(arguments: 1...40)
  func `garbage means the same however it is cut`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(1000 + seed))
    for _ in 0..<60 {
      let bytes = garbage(.random(in: 1...60, using: &generator), &generator)
      var whole = KeyDecoder()
      let events = CPUTimeLimit.check("\(bytes)") {
        whole.feed(bytes, at: start) + whole.flush(at: start + .seconds(9))
      }
      var cut = KeyDecoder()
      var pieces: [InputEvent] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...rest.count, using: &generator)
        pieces += cut.feed(rest.prefix(count), at: start)
        rest = rest.dropFirst(count)
      }
      pieces += cut.flush(at: start + .seconds(9))
      #expect(pieces == events, "\(bytes)")
    }
  }

  @Test(arguments: 1...40)
  func `no key comes out of a paste, whatever is pasted`(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(2000 + seed))
    for _ in 0..<60 {
      var pasted = garbage(.random(in: 1...200, using: &generator), &generator)
      // Its own end cannot be part of a paste: terminals take it out.
      while let end = pasted.firstRange(of: pasteEnd) { pasted.removeSubrange(end) }
      var decoder = KeyDecoder()
      var time = start
      var events = decoder.feed(Array("\u{1b}[200~".utf8), at: time)
      var rest = (pasted + pasteEnd)[...]
      while !rest.isEmpty {
        let count = min(rest.count, Int.random(in: 1...20, using: &generator))
        events += decoder.feed(rest.prefix(count), at: time)
        rest = rest.dropFirst(count)
        time += .milliseconds(.random(in: 0...400, using: &generator))
        events += decoder.flush(at: time)
      }
      #expect(events == [.paste(String(decoding: pasted, as: UTF8.self))], "\(pasted)")
    }
  }
}
