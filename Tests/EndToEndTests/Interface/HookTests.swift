import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// Hooks as the open interface runs them.
  @Suite struct HookTests {
    @Test func `a request runs its hook in one of two interfaces, as the configuration has it now`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      let cleo = try await served.home("cleo")
      let hook = try HookRecorder(for: "on_request", "on_policy", in: ana)
      let first = try await ana.open(adding: [:], "--config", hook.configuration)
      try await first.waitUntilLive()
      let second = try await ana.open(adding: [:], "--config", hook.configuration)
      try await second.waitUntilLive()

      try await bob.must("friends", "add", "ana")
      try await eventually("the hook") { hook.count == 1 }
      try await first.waitFor("@bob wants to be friends.")
      try await second.waitFor("@bob wants to be friends.")
      let event = try hook.event(0)
      #expect(event["event"] == "request")
      #expect(event["kind"] == "request")
      #expect(event["username"] == "bob")
      #expect(event["profile"] == "default")
      // As the person's own programs run, and not in the folder that the interface was started in.
      let mask = try await CommandRun.of("/bin/sh", ["-c", "umask"], environment: [:]).output
      #expect(hook.mask == mask.trimmingCharacters(in: .newlines))
      let places = [ana.folder.file("home"), "/"]
      #expect(places.contains(hook.workingDirectory ?? ""))

      // The policy has a hook of its own, and how a hook ended stands in the log.
      first.send(":policy thermal serious\r")
      try await eventually("the policy's hook") { hook.count == 2 }
      let policy = try hook.event(1)
      #expect(policy["event"] == "policy")
      #expect(policy["kind"] == "critical")
      let log = try #require(
        FileManager.default.enumerator(atPath: ana.folder.path)?.compactMap { $0 as? String }
          .first { $0.hasSuffix("default/rally.log") })
      try await eventually("the log") {
        lines(of: ana.folder.file(log)).contains { $0.contains("on_policy — code: 0, after:") }
      }

      // A program that is not there is said on the screen.
      try hook.configure("[hooks]\non_request = [\"/nowhere/hook\"]\n")
      try await first.waitFor("The configuration was read again.")
      first.send(":policy thermal nominal\r")
      try await first.waitUntilLive()
      try await cleo.must("friends", "add", "ana")
      try await first.waitFor("cannot be started")
      #expect(hook.count == 2)
    }
  }
}
