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

    @Test func `what was being written is kept`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let first = try await home.open()
      try await first.waitForTabs(of: "ana")
      first.send("2c")
      try await first.waitFor("New mission", "What there is to do")
      first.send("Night walk")
      try await first.waitFor("Night walk")
      try await eventually("the draft in its file") {
        home.folder.contents.contains { name in
          let text = try? String(contentsOfFile: home.folder.file(name), encoding: .utf8)
          return text?.contains("Night walk") ?? false
        }
      }
      first.hangUp()
      try await first.waitForExit()

      let second = try await home.open()
      try await second.waitForTabs(of: "ana")
      second.send("2c")
      try await second.waitFor("New mission", "Night walk")
    }
  }
}
