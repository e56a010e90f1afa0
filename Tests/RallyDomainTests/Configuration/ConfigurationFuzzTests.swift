import Foundation
import RallyTestSupport
import Testing

@testable import RallyDomain
@testable import RallySystem

/// Configurations that a slip of the hand, or of an editor, has left behind: from fixed seeds.
struct ConfigurationFuzzTests {
  private static let whole = ConfigurationText.dump(
    Configuration(),
    keys: [
      .init(action: "tab.next", summary: "", keys: ["g t", "]"]),
      .init(action: "undo", summary: "", keys: ["u"]),
    ])

  private static let pieces = [
    "=", "\"", "'", "\"\"\"", "'''", "[", "]", "[[", "{", "}", ",", ".", "#", "\n", "\r\n", "\\",
    "\\u00", "true",
    "1e999", "-0", "0x", "nan", "inf", "1979-05-27T07:32:00Z", "99999999999999999999", "[policy]",
    "[interface", "theme", "\u{0}", "\u{feff}", "é", "漢", "👨‍👩‍👧", "\t", "  ", "\"g t\"", "[[keys]]",
    "a.b.c = 1",
    "color = \"never\"", "mute = [[[[[[[[", "\u{1b}[2J", "\u{202e}",
  ]

  private func damaged(_ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Array(Self.whole.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let count = min(bytes.count - place, Int.random(in: 0...30, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.removeSubrange(place..<place + count)
      case 1: bytes.insert(contentsOf: bytes[place..<place + count], at: place)
      case 2:
        bytes.insert(
          contentsOf: (Self.pieces.randomElement(using: &generator) ?? "").utf8, at: place)
      case 3 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  @Test(arguments: 1...30)
  func `whatever stands in the file, it is read to the end and every problem has its line`(
    seed: Int
  )
    throws
  {
    var generator = SeededGenerator(seed: UInt64(seed))
    let folder = try TemporaryFolder()
    let file = folder.file("config.toml")
    let service = ConfigurationService(file: file)
    for _ in 0..<40 {
      let bytes = damaged(&generator)
      try Data(bytes).write(to: URL(filePath: file))
      let text = String(decoding: bytes, as: UTF8.self)
      let reading = CPUTimeLimit.check(text) { service.load() }
      // A line break of any kind ends a line; the end of the file is on the last one.
      let lines = 1 + bytes.filter { $0 == 0x0A }.count
      for problem in reading.problems {
        #expect(!problem.sentence.isEmpty)
        #expect(
          !problem.description.unicodeScalars.contains {
            $0.properties.generalCategory == .control
          },
          "\(text.debugDescription)")
        guard let line = problem.line else {
          Issue.record("no line: \(problem.sentence)\n\(text.debugDescription)")
          continue
        }
        #expect((1...lines).contains(line), "\(problem)\n\(text.debugDescription)")
      }
      #expect(FileManager.default.contents(atPath: file) == Data(bytes), "the file is the person's")
    }
  }

  /// At each of them an assertion of the parser would end the program.
  @Test(arguments: [
    ("[[", 1), ("[}", 1), ("[[}]]", 1), ("[", 1), ("[é]", 1), ("\n[[[a]]]", 2), ("a = [}", 1),
    ("a = 1\nb = [[1], }", 2), ("a = {b = [}}", 1), ("a = [\u{2028}]", 1), ("a = [1, \u{85}]", 1),
    ("[ \n]", 1),
  ])
  func `what the parser asserts is a problem with a line`(_ text: String, _ line: Int)
    throws
  {
    let folder = try TemporaryFolder()
    let file = folder.file("config.toml")
    try Data(text.utf8).write(to: URL(filePath: file))
    let reading = ConfigurationService(file: file).load()
    #expect(reading.isBroken)
    #expect(reading.problems.map(\.line) == [line])
  }

  @Test(arguments: [
    "[interface]\ncolor = \"never\" # [[}", "[ interface ]\ncolor = \"never\"",
    "[\"interface\"]\n'color' = 'never'", "interface = { color = \"never\" }",
    "[notifications]\nmute = [ # }\n  \"kenji\", # [}\n]\n[interface]\ncolor = \"\"\"never\"\"\"",
  ])
  func `what is in order is read in every way to write it`(_ text: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("config.toml")
    try Data(text.utf8).write(to: URL(filePath: file))
    let reading = ConfigurationService(file: file).load()
    #expect(reading.problems == [])
    #expect(reading.configuration.color == .never)
  }

  @Test func `nothing is too deep, too long or too many`() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("config.toml")
    for text in [
      "a = " + String(repeating: "[", count: 20_000),
      "a = " + String(repeating: "{a=", count: 20_000),
      String(repeating: "[a.", count: 20_000) + "]",
      String(repeating: "a.", count: 20_000) + "a = 1",
      "[interface]\ncolor = \"" + String(repeating: "x", count: 300_000) + "\"",
      String(repeating: "[interface]\n", count: 2_000),
    ] {
      try Data(text.utf8).write(to: URL(filePath: file))
      let reading = ConfigurationService(file: file).load()
      #expect(!reading.problems.isEmpty)
      #expect(reading.configuration == Configuration())
    }
  }
}
