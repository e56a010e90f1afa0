import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyDomain
@testable import RallySystem

@Suite struct MissionFileFuzzTests {
  /// Anything may happen to a file on its way: the reader ends, and each problem is at a line of it.
  @Test(arguments: [MissionSamples.geoJSON, MissionSamples.gpx])
  func `a damaged file is read to its end or to a problem`(good: String) {
    var generator = SeededGenerator(seed: 20_261_121)
    let grammar = Array("{}[]\",:\\<>/!?&;='-.e0 \n\r\t".utf8)
    for round in 0..<4000 {
      var bytes = Array(good.utf8)
      for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
        let index = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, index + Int.random(in: 1...20, using: &generator))
        switch Int.random(in: 0...6, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(grammar.randomElement(using: &generator) ?? 0, at: index)
        case 3: bytes.removeSubrange(index..<end)
        case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
        case 5: bytes.removeLast(bytes.count - index)
        default: bytes[index] = grammar.randomElement(using: &generator) ?? 0
        }
      }
      let preview = CPUTimeLimit.check(String(decoding: bytes, as: UTF8.self)) {
        MissionFile.preview(Data(bytes), name: "a.gpx", now: MissionSamples.now)
      }
      let lines = Self.lines(in: bytes)
      for problem in preview.problems {
        #expect((1...lines).contains(problem.line), "round \(round): \(problem) of \(lines)")
        #expect(!problem.sentence.isEmpty)
      }
      for item in preview.items {
        #expect((1...lines).contains(item.line))
        #expect(MissionRules.radii.contains(item.call.radiusMetres))
        #expect((try? MissionText.title(item.call.title)) == item.call.title)
        #expect((item.call.objectives?.count ?? 0) <= MissionRules.objectiveLimit)
      }
    }
  }

  @Test func `noise is a problem on its first line or later`() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let preview = CPUTimeLimit.check("\(bytes)") {
        MissionFile.preview(Data(bytes), name: "noise", now: MissionSamples.now)
      }
      #expect(preview.items.isEmpty)
      #expect(preview.problems.count == 1)
      #expect((1...Self.lines(in: bytes)).contains(preview.problems.first?.line ?? 0))
    }
  }

  /// Ends with LF, CR LF or CR; a file without any is one line.
  private static func lines(in bytes: [UInt8]) -> Int {
    var lines = 1
    for (index, byte) in bytes.enumerated() where index + 1 < bytes.count {
      if byte == 0x0A || (byte == 0x0D && bytes[index + 1] != 0x0A) { lines += 1 }
    }
    return lines
  }
}
