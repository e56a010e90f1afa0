import RallyTestSupport
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
      #expect(asked.errors.contains("@ana sees your precise position."))
      #expect(asked.errors.contains("within 100 m") && asked.errors.contains("--yes"))
      #expect(try await ana.must("where", "--json").json() == [])

      let begun = try await bob.must("missions", "omw", "Lanterns", "--yes")
      #expect(begun.errors.contains("on my way · 1 sees you"))
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
  }
}
