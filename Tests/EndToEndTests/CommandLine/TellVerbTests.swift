import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// `rally tell`, beside an open interface and without a server.
  @Suite struct TellVerbTests {
    @Test func `an alert is told by the open interface; the verbs need no server`() async throws {
      let served = try await ServedRally()
      let (ana, bob) = (try await served.home("ana"), try await served.home("bob"))
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await bob.must("location", "share", "precise")
      try await bob.must("location", "set", "38.72,-9.14")
      let early = try await ana.rally("tell", "bob", "near", "500m", "41.15,-8.61")
      #expect(early.status == .exited(1))
      #expect(early.errors.contains("Open `rally` once"))
      // given
      let session = try await ana.open()
      try await session.waitUntilLive()
      try await session.waitFor("@bob")
      // when
      try await eventually("the interface keeps what it saw") {
        try await ana.rally("tell", "bob", "near", "500m", "41.15,-8.61", "until", "2h").succeeded
      }
      let row = try #require(try await ana.must("tell", "list", "--json").json().array?.first)
      #expect(row["username"] == "bob" && row["distance_m"] == 500 && row["condition"] == "near")
      try await bob.must("location", "set", "41.1501,-8.6101")
      // then
      try await session.waitFor("@bob is within 500 m of 41.1500, -8.6100.")
      #expect(try await ana.must("tell", "list").errors.contains("No alert waits."))
      session.send(":quit\r")
      _ = try await session.waitForExit()
      // when
      served.command.signal(SIGKILL)
      _ = try await served.command.waitForExit()
      let made = try await ana.must("tell", "anybody", "leaves", "Porto", "until", "friday")
      // then
      #expect(made.errors.contains("You hear once when a friend leaves Porto, Portugal (more than"))
      #expect(made.errors.contains("No Rally is open: it is looked at once one is."))
      let wrong = try await ana.rally("tell", "bob", "afar")
      #expect(wrong.status == .exited(2) && wrong.errors.contains("Type who and what"))
      let kept = try #require(try await ana.must("tell", "list", "--json").json().array?.first)
      let id = try #require(kept["id"]?.integer)
      try await ana.must("tell", "remove", "\(id)")
      #expect(try await ana.rally("tell", "remove", "\(id)").status == .exited(5))
    }
  }
}
