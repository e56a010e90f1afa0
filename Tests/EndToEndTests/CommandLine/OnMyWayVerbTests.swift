import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct OnMyWayVerbTests {
    @Test func `the members are named before they see the way, and it ends`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.712,-9.13", "--radius", "100 m",
        "--visibility", "friends")

      // Each refusal says why.
      func refusal() async throws -> String {
        let run = try await bob.rally("missions", "omw", "Lanterns", "--yes")
        #expect(run.status == .exited(5), "\(run)")
        return run.errors
      }
      #expect(try await refusal().contains("You are not in Lanterns."))
      try await bob.must("missions", "join", "Lanterns")
      #expect(try await refusal().contains("Nobody knows where you are."))
      try await bob.must("location", "set", "38.73,-9.13")
      try await bob.must("location", "ghost", "on")
      #expect(try await refusal().contains("You are a ghost."))
      try await bob.must("location", "ghost", "off")
      // Without a terminal nothing begins by itself, and who would see it is said.
      let asked = try await bob.rally("missions", "omw", "Lanterns")
      #expect(asked.status == .exited(2))
      #expect(asked.errors.contains("@ana will see your precise position."))
      #expect(asked.errors.contains("within 100 m") && asked.errors.contains("--yes"))
      #expect(try await ana.must("where", "--json").json() == [])

      let begun = try await bob.must("missions", "omw", "Lanterns", "--yes")
      #expect(begun.errors.contains("on the way · 1 sees you"))
      let seen = try #require(try await ana.must("where", "--json").json().array?.first)
      #expect(seen["precision"] == "precise" && seen["latitude"] == .number(38.73))
      let row = try #require(
        try await ana.must("missions", "coming", "Lanterns", "--json").json().array?.first)
      #expect(
        Set(row.object?.keys.map(\.self) ?? []) == [
          "user_id", "username", "display_name", "began_at", "until", "arrived_at", "distance_m",
          "least_minutes", "most_minutes", "is_moving", "location",
        ])
      #expect(row["username"] == "bob" && row["arrived_at"] == .null)
      #expect(try #require(row["distance_m"]?.asNumber) > 1900)
      #expect(
        try await ana.must("missions", "coming", "Lanterns").output.hasPrefix("@bob  2.0 km"))
      let explained = try await bob.must("location", "show", "--as", "ana", "--explain")
      #expect(explained.output.contains("precise"))
      #expect(try await bob.must("location", "show").output.contains("precise on your way until"))

      let ended = try await bob.must("missions", "omw", "Lanterns", "--end")
      #expect(ended.errors.contains("sharing with nobody"))
      #expect(try await ana.must("where", "--json").json() == [])
      try await bob.must("missions", "omw", "Lanterns", "--yes")
      try await bob.must("location", "set", "38.712,-9.13")
      #expect(try await ana.must("where", "--json").json() == [])
      let arrived = try await ana.must("missions", "coming", "Lanterns")
      #expect(arrived.output.hasPrefix("@bob  arrived "))
    }

    @Test func `friends in a mission are asked where they are, and others not`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      let eve = try await served.home("eve")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await served.befriend(ana, eve, named: ("ana", "eve"))
      try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.712,-9.13", "--visibility", "friends")
      let outside = try await bob.rally("missions", "locate", "Lanterns")
      #expect(outside.status == .exited(5))
      #expect(outside.errors.contains("You are not in Lanterns."))
      for member in [bob, eve] { try await member.must("missions", "join", "Lanterns") }

      func asked(by member: Home) async throws -> [String: String] {
        let rows = try await member.must("missions", "locate", "Lanterns", "--json").json().array
        return Dictionary(
          uniqueKeysWithValues: (rows ?? []).map {
            ($0["username"]?.string ?? "", $0["result"]?.string ?? "")
          })
      }
      #expect(try await asked(by: bob) == ["ana": "asked", "eve": "not_friend"])
      #expect(try await asked(by: bob) == ["ana": "asked_before", "eve": "not_friend"])
      try await eve.must("location", "set", "38.73,-9.13")
      try await eve.must("missions", "omw", "Lanterns", "--yes")
      #expect(try await asked(by: ana) == ["bob": "asked", "eve": "on_the_way"])
      try await eve.must("location", "set", "38.712,-9.13")
      #expect(try await asked(by: ana) == ["bob": "asked_before", "eve": "arrived"])
    }

    @Test func `a live mission is made and changed by its flag`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let made = try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.712,-9.13", "--live", "--json"
      ).json()
      #expect(made["is_live"] == true)
      func edited(_ option: String) async throws -> JSONValue? {
        try await ana.must("missions", "edit", "Lanterns", "--json", option).json()["is_live"]
      }
      #expect(try await edited("--brief=Find the doors.") == true)
      #expect(try await edited("--no-live") == false)
      #expect(try await edited("--live") == true)
    }
  }
}
