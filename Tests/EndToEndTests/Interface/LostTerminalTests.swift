import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// The terminal goes away under the program, which then has nobody to ask and nothing to draw on.
  @Suite struct LostTerminalTests {
    @Test func `without the signal of a hang-up it is seen at the next read`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.openBelowShell(before: "trap '' HUP; exec")
      try await session.waitUntilLive()
      let process = session.processID
      session.hangUp()
      let status = try await session.waitForExit()
      #expect(status == .exited(128 + SIGHUP))
      #expect(kill(process, 0) == -1)
    }

    @Test(arguments: WaysToEndTests.ways.filter { ["TERM", "HUP", "^C twice"].contains($0.name) })
    func `what was typed just before the end is kept, also after a resize`(
      way: WaysToEndTests.Way
    ) async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let first = try await home.open()
      try await first.waitForTabs(of: "ana")
      first.send("2c")
      try await first.waitFor("New mission", "Objectives")
      first.resize(rows: 30, columns: 100)
      try await first.waitUntil("the new size") { $0.rows == 30 && $0.contains("New mission") }
      first.send("Night walk")
      try await first.waitFor("Night walk")
      if way.name == "^C twice" { first.send(.control("c")) }  // closes the form
      try await way.act(first)
      let status = try await first.waitForExit()
      #expect(way.status.contains(status), "\(status)")
      #expect(first.leftBehind == [])

      let second = try await home.open()
      try await second.waitForTabs(of: "ana")
      second.send("2c")
      try await second.waitFor("New mission", "Night walk")
    }

    @Test func `what was typed just before the window closed is kept`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let first = try await home.open()
      try await first.waitForTabs(of: "ana")
      first.send("2c")
      try await first.waitFor("New mission", "Objectives")
      first.send("Night walk")
      try await first.waitFor("Night walk")
      first.hangUp()
      #expect(try await first.waitForExit() == .signalled(SIGHUP))

      let second = try await home.open()
      try await second.waitForTabs(of: "ana")
      second.send("2c")
      try await second.waitFor("New mission", "Night walk")
    }
  }
}
