import Foundation
import Testing

@testable import TerminalKit

/// One line of a file of `Sequences`: what a terminal sends, and the events that it means.
struct CapturedSequence: Sendable, CustomTestStringConvertible {
  var terminal: String
  var written: String
  var bytes: [UInt8]
  var events: String

  var testDescription: String { "\(terminal) \(written)" }

  static let terminals = ["xterm", "kitty", "tmux", "screen", "linux", "rxvt"]
  static let all = terminals.flatMap(read)

  private static func read(_ terminal: String) -> [CapturedSequence] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.appending(path: "Sequences/\(terminal).txt")
    guard let text = try? String(contentsOf: file, encoding: .utf8) else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
      let columns = line.split(separator: "\t")
      guard columns.count == 2 else { return nil }
      return CapturedSequence(
        terminal: terminal, written: String(columns[0]), bytes: bytes(columns[0]),
        events: unescaped(columns[1]))
    }
  }

  private static func unescaped(_ text: Substring) -> String {
    text.contains("(") ? String(decoding: bytes(text), as: UTF8.self) : String(text)
  }

  /// `\e`, `\r`, `\n`, `\t`, `\b`, `\\` and `\xHH` are single bytes.
  private static func bytes(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\\", let escape = rest.popFirst() else {
        bytes += Array(String(character).utf8)
        continue
      }
      switch escape {
      case "e": bytes.append(0x1B)
      case "r": bytes.append(0x0D)
      case "n": bytes.append(0x0A)
      case "t": bytes.append(0x09)
      case "b": bytes.append(0x08)
      case "x":
        bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
      default: bytes += Array(String(escape).utf8)
      }
    }
    return bytes
  }
}

extension InputEvent {
  /// As the corpus writes it.
  var written: String {
    switch self {
    case .key(let chord): return chord.description
    case .letter(let chord, let place): return "\(chord)(\(place))"
    case .paste(let text): return "paste(\(text))"
    case .focus(let isHere): return isHere ? "focus" : "blur"
    case .mouse(let mouse):
      var held = ""
      if mouse.modifiers.contains(.control) { held += "C-" }
      if mouse.modifiers.contains(.alt) { held += "M-" }
      if mouse.modifiers.contains(.shift) { held += "S-" }
      return "\(held)\(mouse.kind).\(mouse.button)@\(mouse.position.x),\(mouse.position.y)"
    }
  }
}

@Suite struct SequenceCorpusTests {
  private let start = ContinuousClock.now

  private func written(_ events: [InputEvent]) -> String {
    events.isEmpty ? "nothing" : events.map(\.written).joined(separator: " ")
  }

  @Test func `the corpus has every terminal`() {
    for terminal in CapturedSequence.terminals {
      #expect(CapturedSequence.all.filter { $0.terminal == terminal }.count > 20, "\(terminal)")
    }
  }

  @Test(arguments: CapturedSequence.all)
  func `what a terminal sends is understood, whole and cut anywhere`(entry: CapturedSequence) {
    let later = start + .seconds(2)
    for cut in 0..<entry.bytes.count {
      var decoder = KeyDecoder()
      var events = decoder.feed(entry.bytes[..<cut], at: start)
      events += decoder.feed(entry.bytes[cut...], at: start + .milliseconds(1))
      events += decoder.flush(at: later)
      #expect(written(events) == entry.events, "cut at \(cut)")
      #expect(decoder.deadline == nil)
    }
    var decoder = KeyDecoder()
    let single = entry.bytes.flatMap { decoder.feed([$0], at: start) } + decoder.flush(at: later)
    #expect(written(single) == entry.events)
  }

  @Test(arguments: CapturedSequence.all)
  func `a letter after it is the letter`(entry: CapturedSequence) {
    var decoder = KeyDecoder()
    _ = decoder.feed(entry.bytes, at: start)
    _ = decoder.flush(at: start + .seconds(2))
    #expect(decoder.feed([0x6B], at: start + .seconds(3)).map(\.written) == ["k"])
  }
}
