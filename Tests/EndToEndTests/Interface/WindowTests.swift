import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct WindowTests {
    @Test func `the screen fits its window, from large to too small and back`() async throws {
      let served = try await ServedRally()
      let anaHome = try await served.home("ana")
      let bobHome = try await served.home("bob", displayName: "Bob Stone")
      try await served.befriend(anaHome, bobHome, named: ("ana", "bob"))
      let session = try await anaHome.open(rows: 40, columns: 120)
      try await session.waitUntil("the frame at 120x40") {
        $0.contains("Bob Stone") && $0.lines[39].contains("? help")
      }

      session.resize(rows: 16, columns: 60)
      try await session.waitUntil("the frame at 60x16") {
        $0.contains("Bob Stone") && $0.lines[15].contains("? help")
          && $0.lines[0].contains("3 Friends")
      }

      session.resize(rows: 12, columns: 40)
      try await session.waitUntil("the frame at 40x12") {
        $0.contains("Bob Stone") && $0.lines[11].contains("? help") && $0.lines[0].contains("3 Fri")
      }

      session.resize(rows: 11, columns: 52)
      try await session.waitFor("Rally needs 40x12 (here 52x11)")

      session.resize(rows: 1, columns: 10)
      session.resize(rows: 24, columns: 80)
      try await session.waitUntil("the frame at 80x24") {
        $0.contains("Bob Stone") && $0.lines[23].contains("? help")
      }
    }

    @Test func `a size that comes while the interface starts is taken`() async throws {
      for _ in 0..<6 {
        let session = try await Home().open()
        try await session.waitUntil("its first bytes") { $0.isAlternate }
        session.resize(rows: 32, columns: 100)
        try await session.waitUntil("the frame at 100x32") { $0.lines[31].contains("F1 help") }
      }
    }

    @Test func `a window that is too small can be left`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open(rows: 10, columns: 40)
      try await session.waitFor("Rally needs 40x12")
      session.send("q")
      let status = try await session.waitForExit()
      #expect(status == .exited(0) || status == .exited(6))
      #expect(session.leftBehind == [])
    }

    @Test func `a hundred sizes in a row end in the last one`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitForTabs(of: "ana")
      for step in 0..<100 {
        session.resize(rows: 16 + step % 30, columns: 60 + (step * 7) % 90)
      }
      session.resize(rows: 24, columns: 80)
      try await session.waitUntil("the frame at 80x24") {
        $0.lines[23].contains("? help") && $0.lines[0].contains("3 Friends")
      }
    }

    @Test func `an idle screen is left alone`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()
      try await session.waitFor("Nobody here yet")
      // Not a wait for something: the time in which nothing may happen.
      try await Task.sleep(for: .seconds(1))
      let before = session.bytesWritten
      try await Task.sleep(for: .seconds(3))
      #expect(session.bytesWritten == before)
    }

    @Test func `a key wakes the main thread and no other`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open(rows: 24, columns: 80)
      try await session.waitUntilLive()
      session.send(":")
      try await session.waitFor("Tab completes")
      let keys = 60
      // Other threads have work of their own after a start, but not at each key of every round.
      for round in 1... {
        let before = try Self.sleeps(of: session.processID)
        for number in 0..<keys {
          let types = number.isMultiple(of: 2)
          session.send(types ? "x" : "\u{7F}")
          try await session.waitUntil("the key's frame") { $0.contains(":x") == types }
        }
        let others = try Self.sleeps(of: session.processID)
          .filter { $0.key != session.processID }
          .reduce(0) { $0 + $1.value - before[$1.key, default: 0] }
        if others < keys { break }
        try #require(round < 5, "\(others) sleeps of other threads at \(keys) keys")
      }
    }

    /// How often each thread of a process went to sleep by itself, from `/proc`.
    private static func sleeps(of process: pid_t) throws -> [pid_t: Int] {
      let folder = "/proc/\(process)/task"
      var counts: [pid_t: Int] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let status = try String(contentsOfFile: "\(folder)/\(name)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        guard let thread = pid_t(name), let count = line?.split(separator: "\t").last else {
          continue
        }
        counts[thread] = Int(count)
      }
      return counts
    }
  }
}
