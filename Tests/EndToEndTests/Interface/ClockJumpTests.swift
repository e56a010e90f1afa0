import Foundation
import RallyTestSupport
import RallyText
import Testing

extension EndToEnd {
  /// A client whose wall clock is set while it runs.
  @Suite(.enabled(if: ShiftedClock.compiler != nil, "there is no C compiler"))
  struct ClockJumpTests {
    @Test(arguments: [-18_000, -1800, 1800, 18_000])
    func `the interface stays live, hears, tells and is heard`(seconds: Int) async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob", displayName: "Bob Stone")
      let clock = try await ShiftedClock(in: ana)
      let hook = try HookRecorder(for: "on_request", in: ana)
      let session = try await ana.open(
        adding: clock.environment, "--config", hook.configuration)
      try await session.waitUntilLive()
      try await bob.must("friends", "add", "ana")
      try await session.waitFor("Requests for you (1)", "Bob Stone")
      try await eventually("the first hook") { hook.count == 1 }

      try clock.set(ahead: seconds)
      session.send("a")
      try await session.waitFor("Accept")
      session.send("y")
      try await session.waitFor("Friends (1)")
      #expect(
        try await bob.must("friends", "list", "--json").json().array?.first?["username"] == "ana")
      try await bob.must("friends", "locate", "ana")
      try await session.waitFor("@bob asks where you are")
      try await eventually("the hook of the question") { hook.count == 2 }
      try await bob.must("friends", "remove", "ana")
      let screen = try await session.waitForAbsence(of: "Bob Stone")
      #expect(screen.lines[0].contains("● live"))
      try await bob.must("friends", "add", "ana")
      try await eventually("the hook of the request") { hook.count == 3 }
      try await bob.must("friends", "cancel", "ana")
      try await session.waitForAbsence(of: "Bob Stone")

      // And back.
      try clock.set(ahead: 0)
      try await bob.must("friends", "add", "ana")
      let last = try await session.waitFor("Requests for you (1)", "Bob Stone")
      #expect(last.lines[0].contains("● live"))
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
      let path = try #require(ana.folder.contents.first { $0.hasSuffix("rally.log") })
      let log = try String(contentsOfFile: ana.folder.file(path), encoding: .utf8)
      #expect(log.contains("link — live"))
      #expect(!log.contains("link — offline"))
    }
  }
}
