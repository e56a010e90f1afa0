import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

extension EndToEnd {
  @Suite struct WaitingVerbTests {
    @Test func `a verb that the server asks to wait says so, and does not give up`() async throws {
      // An account of today has a third of it: one message a minute.
      try await TestServer.with(configure: { $0.budgets[.messagesPerMinute] = 3 }) { server in
        let ana = try Home(flags: ["--server", server.url, "--key", server.key])
        try await ana.signUp("ana")
        let made = try await ana.must(
          "missions", "new", "--title", "Lanterns", "--at", "38.7223,-9.1393", "--json")
        let mission = try #require(try made.json()["id"]?.string)
        try await ana.must("missions", "say", mission, "one")
        let command = try RunningCommand(
          RallyBinary.required(), ["missions", "say", mission, "two"] + ana.flags,
          environment: ana.environment)
        defer { command.signal(SIGKILL) }
        try await eventually("the sentence") {
          command.snapshot.errorText.contains("The server asks to wait; going on in ")
        }
        #expect(command.snapshot.status == nil)
      }
    }
  }
}
