import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct FriendsLocateTests {
    private func friends(
      _ body: (_ ana: Home, _ bob: Home) async throws -> Void
    ) async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await body(ana, bob)
    }

    @Test func `the answer is printed as soon as it comes`() async throws {
      try await friends { ana, bob in
        try await bob.must("location", "set", "38.7223,-9.1393")
        let locate = try RunningCommand(
          RallyBinary.required(),
          ["friends", "locate", "bob", "--wait", "1h", "--json"] + ana.flags,
          environment: ana.environment)
        try await eventually("the question") {
          try await bob.must("friends", "asks", "--json").json() != []
        }
        let asks = try await bob.must("friends", "asks", "--json").json()
        let ask = try #require(asks.array?.first?.object)
        #expect(
          Set(ask.keys) == [
            "direction", "id", "username", "display_name", "asked_at", "expires_at",
          ])
        #expect(ask["direction"] == "incoming" && ask["display_name"] == "Ana Pereira")

        let answered = try await bob.must("friends", "answer", "ana")
        #expect(answered.errors.contains("@ana sees about 1 km until"))
        #expect(try await locate.waitForExit() == .exited(0))
        #expect(locate.snapshot.errorText.contains("You asked @bob where they are."))
        let rows = try WireJSON.decode(
          JSONValue.self, from: Data(locate.snapshot.outputText.utf8))
        #expect(rows.array?.first?["precision"] == "approximate_1km")
        #expect(rows.array?.count == 1)
        #expect(try await bob.must("friends", "asks", "--json").json() == [])
        #expect(try await ana.must("friends", "asks").output.hasPrefix("to"))

        // What is young enough is printed, and nobody is asked.
        let again = try await ana.must("friends", "locate", "bob")
        #expect(again.output.contains("@bob") && again.errors.isEmpty)
      }
    }

    @Test func `without an answer in time it fails, and a dismissal looks the same`() async throws {
      try await friends { ana, bob in
        let asked = try await ana.must("friends", "locate", "bob", "--json")
        #expect(try asked.json() == [])
        let first = try await ana.rally("friends", "locate", "bob", "--wait", "1s")
        #expect(first.status == .exited(1))
        #expect(first.errors.contains("did not show you a new position within 1s"))
        let dismissed = try await bob.must("friends", "answer", "ana", "--dismiss")
        #expect(dismissed.errors.contains("is not told"))
        let second = try await ana.rally("friends", "locate", "bob", "--wait", "1s")
        #expect(second.status == first.status && second.errors == first.errors)
        #expect(second.output == first.output)
        #expect(try await ana.must("friends", "asks", "--json").json().array?.count == 1)
        let gone = try await bob.rally("friends", "answer", "ana")
        #expect(gone.status == .exited(5))
        #expect(gone.errors.contains("@ana does not ask where you are."))
      }
    }

    @Test func `an answer can be chosen, and ends a ghost only by choice`() async throws {
      try await friends { ana, bob in
        try await bob.must("location", "set", "Lisbon")
        try await bob.must("location", "ghost", "on")
        try await ana.must("friends", "locate", "bob")
        let refused = try await bob.rally("friends", "answer", "ana", "--mode", "precise")
        #expect(refused.status == .exited(2))
        #expect(refused.errors.contains("You are a ghost."))
        #expect(try await ana.must("where", "--json").json() == [])
        let row = try await bob.must(
          "friends", "answer", "ana", "--mode", "precise", "--for", "10m", "--yes", "--json"
        ).json()
        #expect(row["mode"] == "precise" && row["until"]?.string != nil)
        #expect(
          try await ana.must("where", "bob", "--json").json().array?.first?["precision"]
            == "precise")
        #expect(try await bob.must("location", "show", "--json").json()["ghost"] == .null)
        for wrong in [["--mode", "off"], ["--dismiss", "--mode", "area"], ["--for", "soon"]] {
          let run = try await CommandRun.of(
            RallyBinary.required(), ["friends", "answer", "ana"] + wrong + bob.flags,
            environment: bob.environment)
          #expect(run.status == .exited(2), "\(wrong)")
        }
        #expect(
          try await ana.rally("friends", "locate", "bob", "--wait", "soon").status == .exited(2))
        #expect(try await ana.rally("friends", "locate", "nobody").status == .exited(5))
      }
    }
  }
}
