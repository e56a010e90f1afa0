import Foundation
import RallyTestSupport
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
      let heard = ana.folder.file("heard")
      let hook = ana.folder.file("hook")
      try Data("#!/bin/sh\ncat >> '\(heard)'\n".utf8).write(to: URL(filePath: hook))
      chmod(hook, 0o700)
      let configuration = ana.folder.file("config.toml")
      try Data("[hooks]\non_request = [\"\(hook)\"]\n".utf8)
        .write(to: URL(filePath: configuration))
      let first = try await ana.open(adding: [:], "--config", configuration)
      try await first.waitUntilLive()
      let second = try await ana.open(adding: [:], "--config", configuration)
      try await second.waitUntilLive()

      try await bob.must("friends", "add", "ana")
      try await eventually("the hook") { lines(heard).count == 1 }
      try await first.waitFor("@bob wants to be friends.")
      try await second.waitFor("@bob wants to be friends.")
      let event = try WireJSON.decode(JSONValue.self, from: Data(lines(heard)[0].utf8))
      #expect(event["event"] == "request")
      #expect(event["kind"] == "request")
      #expect(event["username"] == "bob")
      #expect(event["profile"] == "default")

      // A program that is not there is said on the screen.
      try Data("[hooks]\non_request = [\"/nowhere/hook\"]\n".utf8)
        .write(to: URL(filePath: configuration))
      try await first.waitFor("The configuration was read again.")
      try await cleo.must("friends", "add", "ana")
      try await first.waitFor("cannot be started")
      #expect(lines(heard).count == 1)
    }

    private func lines(_ path: String) -> [String] {
      ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
        .map(String.init)
    }
  }
}
