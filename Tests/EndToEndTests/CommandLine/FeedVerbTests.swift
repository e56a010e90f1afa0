import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct FeedVerbTests {
    private func lines(_ command: RunningCommand) throws -> [JSONValue] {
      try command.snapshot.outputText.split(separator: "\n").map {
        try WireJSON.decode(JSONValue.self, from: Data($0.utf8))
      }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `what happens is printed as it happens, until a signal ends it`(number: Int32) async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("missions", "new", "--title", "Fog run", "--at", "38.7,-9.1")
      try await ana.must("missions", "invite", "Fog", "bob")
      let feed = try RunningCommand(
        RallyBinary.required(), ["feed", "--follow", "--json"] + ana.flags,
        environment: ana.environment)
      _ = try await feed.firstLine()

      try await bob.must("missions", "join", "Fog")
      try await eventually("the joining") { try lines(feed).count == 2 }
      for text in ["one", "two"] { try await bob.must("missions", "say", "Fog", text) }
      try await eventually("what bob says") { try lines(feed).count == 4 }
      #expect(try lines(feed).map { $0["kind"] } == ["created", "joined", "said", "said"])
      #expect(try lines(feed).map { $0["text"] } == [.null, .null, "one", "two"])

      feed.signal(number)
      #expect(try await feed.waitForExit() == .exited(0))
      #expect(feed.snapshot.errorText == "")
    }

    @Test func `one mission's feed leaves the others out`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      for title in ["Fog run", "Trees"] {
        try await ana.must("missions", "new", "--title", title, "--at", "38.7,-9.1")
      }
      let feed = try RunningCommand(
        RallyBinary.required(),
        ["feed", "Trees", "--follow", "--limit", "0", "--json"] + ana.flags,
        environment: ana.environment)
      // Said until it is followed: what was there at the start is not printed.
      try await eventually("a line") {
        try await ana.must("missions", "say", "Fog", "fog")
        try await ana.must("missions", "say", "Trees", "trees")
        return try !lines(feed).isEmpty
      }
      #expect(try lines(feed).allSatisfy { $0["text"] == "trees" })
      feed.signal(SIGTERM)
      #expect(try await feed.waitForExit() == .exited(0))
    }

    @Test func `it ends when nobody reads it any more, also while nothing happens`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      try await ana.must("missions", "new", "--title", "Fog run", "--at", "38.7,-9.1")
      let words = ([try RallyBinary.required(), "feed", "--follow"] + ana.flags)
        .map { "'\($0)'" }.joined(separator: " ")
      // A shell waits for both ends of a pipe.
      let run = try await CommandRun.of(
        "/bin/sh", ["-c", "\(words) | head -n 1"], environment: ana.environment)
      #expect(run.status == .exited(0))
      #expect(run.output.contains("Fog run: mission started by you"))
    }
  }
}
