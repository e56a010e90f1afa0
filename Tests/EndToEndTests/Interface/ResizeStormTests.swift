import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct ResizeStormTests {
    @Test(arguments: 1...3)
    func `a hundred sizes in a row end in the right picture`(seed: Int) async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.send("2")
      try await session.waitFor("You are in no mission yet")
      // All that comes later than the tab itself: the link, the counts, who sees me, the keys.
      let before = try await session.waitUntil("a quiet screen") {
        $0.lines[0].contains("● live") && $0.lines[2].contains("Active 0  Nearby 0  Done 0")
          && $0.lines[22].hasPrefix(" no missions ")
          && $0.lines[22].hasSuffix("sharing with nobody")
          && $0.lines[23].hasPrefix(" ! ghost  r refresh  Esc back")
      }.lines

      var generator = SeededGenerator(seed: UInt64(seed))
      for _ in 0..<100 {
        session.resize(
          rows: .random(in: 1...200, using: &generator),
          columns: .random(in: 1...500, using: &generator))
      }
      for size in [(1, 1), (200, 500), (1, 500), (200, 1)] {
        session.resize(rows: size.0, columns: size.1)
      }
      session.resize(rows: 24, columns: 80)

      try await session.waitUntil("the picture from before") { $0.lines == before }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test func `it is drawn on 500 by 200, on nothing, and on 39 by 16 as a sentence`() async throws
    {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      session.resize(rows: 200, columns: 500)
      try await session.waitUntil("the large one") {
        $0.lines.count == 200 && $0.lines[0].contains("3 Friends")
          && $0.lines[0].hasSuffix("@ana") && $0.lines[199].hasSuffix("? help")
      }
      session.resize(rows: 16, columns: 39)
      try await session.waitFor("Rally needs 40x12 (here")
      session.resize(rows: 1, columns: 1)
      // Not the first letter, which a terminal cuts out of the larger screen by itself.
      try await session.waitUntil("one cell") { $0.lines == ["…"] }
      session.resize(rows: 16, columns: 60)
      try await session.waitUntil("the small one") {
        $0.lines[0].contains("3 Friends") && $0.lines[15].contains("? help")
      }
    }
  }
}
