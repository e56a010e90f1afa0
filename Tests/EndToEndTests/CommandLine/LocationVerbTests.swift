import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct LocationVerbTests {
    @Test func `what is shared is what the friend sees, and nothing more`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))

      // What cannot be seen yet is not said to be seen.
      let early = try await ana.must("location", "share", "area")
      #expect(early.errors.contains("Everybody else will see about 1 km, once you say where"))
      try await ana.must("location", "share", "off")

      // Nobody is shown anything before it is decided.
      try await ana.must("location", "set", "38.7223,-9.1393")
      #expect(try await bob.must("where", "--json").json() == [])
      #expect(try await ana.must("location", "show", "--as", "bob", "--json").json() == .null)

      let now = try await ana.must("location", "share", "area", "@bob")
      #expect(now.errors.contains("@bob sees about 1 km"))
      let row = try #require(try await bob.must("where", "@ana", "--json").json().array?.first)
      #expect(
        Set(row.object?.keys.map(\.self) ?? []) == [
          "username", "display_name", "latitude", "longitude", "accuracy_m", "precision",
          "recorded_at", "age", "distance_m", "near", "speed", "course", "battery",
        ])
      #expect(row["username"] == "ana")
      #expect(row["precision"] == "approximate_1km")
      #expect(row["accuracy_m"] == 1000)
      let here = try #require(Coordinate(latitude: 38.7223, longitude: -9.1393))
      let middle = GridCell(containing: here, level: .oneKilometre).center
      #expect(row["latitude"]?.asNumber == middle.latitude)
      #expect(row["longitude"]?.asNumber == middle.longitude)
      #expect(row["distance_m"] == .null)
      #expect(row["near"] == "Lisbon, Portugal")
      let seen = try await ana.must("location", "show", "--as", "@bob", "--json").json()
      for key in ["latitude", "longitude", "accuracy_m", "precision", "recorded_at"] {
        #expect(seen[key] == row[key], "\(key)")
      }
      let shown = try await ana.must("location", "show")
      #expect(shown.output.contains("@bob"))
      #expect(shown.errors.contains("shared with 1"))
    }

    @Test func `a place is a city or coordinates, also of the south`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let named = try await ana.must("location", "set", "San José, Costa Rica", "--json").json()
      #expect(named["place"] == "San José")
      #expect(try #require(named["latitude"]?.asNumber).rounded() == 10)
      let words = try await ana.must("location", "set", "Buenos", "Aires", "--json").json()
      #expect(try #require(words["latitude"]?.asNumber).rounded() == -35)
      let south = try await ana.must("location", "set", "-33.86,151.21", "--json").json()
      #expect(south["latitude"] == .number(-33.86))
      #expect(south["place"] == .null)
      let kept = try await ana.must("location", "show", "--json").json()
      #expect(kept["here"]?["longitude"] == .number(151.21))
      #expect(kept["ghost"] == .null)
      #expect(try await ana.rally("location", "set", "Nowhereville").status == .exited(2))
      #expect(try await ana.rally("location", "set", "91,0").status == .exited(2))
      let own = try await ana.must("location", "set", "Roma", "--json").json()
      #expect(own["place"] == "Rome")
      // Which of those that begin so is meant, nobody would see in a script.
      let begun = try await ana.rally("location", "set", "Lisb")
      #expect(begun.status == .exited(2) && begun.output.isEmpty)
      #expect(begun.errors.contains("Lisbon, Portugal") && begun.errors.contains("--first"))
      let first = try await ana.must("location", "set", "--first", "Lisb", "--json").json()
      #expect(first["place"] == "Lisbon")
    }

    @Test func `a ghost is nowhere, and comes back as it was`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("location", "share", "precise", "bob", "--for", "2h")
      try await ana.must("location", "share", "city")
      try await ana.must("location", "set", "Lisbon")
      #expect(try await bob.must("where", "--json").json().array?.count == 1)
      let before = try await ana.must("location", "show", "--json").json()["sharing"]

      let gone = try await ana.must("location", "ghost", "on")
      #expect(gone.errors.contains("nobody sees you"))
      #expect(try await bob.must("where", "--json").json() == [])
      #expect(try await ana.must("location", "show", "--json").json()["ghost"] == "gone")
      // A ghost that says where it is tells nobody.
      #expect(try await ana.must("location", "set", "Porto").errors.contains("ghost"))
      #expect(try await bob.must("where", "--json").json() == [])

      try await ana.must("location", "ghost", "off")
      let after = try await ana.must("location", "show", "--json").json()["sharing"]
      #expect(after == before)
      let rows = try await bob.must("where", "--json").json()
      #expect(rows.array?.first?["near"]?.string?.hasPrefix("Porto") == true)
      #expect(rows.array?.first?["precision"] == "precise")
    }

    @Test func `sharing as a ghost has to be confirmed, and says that the ghost ends`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("location", "set", "Lisbon")
      try await ana.must("location", "ghost", "on")
      // Off hides somebody: nothing ends by that.
      try await ana.must("location", "share", "off", "bob")

      let refused = try await ana.rally("location", "share", "city", "bob")
      #expect(refused.status == .exited(2))
      #expect(refused.errors.contains("You are a ghost."))
      #expect(refused.errors.contains("--yes"))
      #expect(try await bob.must("where", "--json").json() == [])
      #expect(try await ana.must("location", "show", "--json").json()["ghost"] == "gone")

      let shared = try await ana.must("location", "share", "city", "bob", "--yes")
      #expect(shared.errors.contains("You are no longer a ghost."))
      #expect(shared.errors.contains("shared with 1"))
      #expect(try await bob.must("where", "--json").json().array?.count == 1)
      #expect(try await ana.must("location", "show", "--json").json()["ghost"] == .null)
    }

    @Test func `a position that is not shown has a reason, in words and for scripts`() async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      func explanation(of name: String) async throws -> JSONValue {
        try await ana.must("location", "show", "--as", name, "--explain", "--json").json()
      }
      try await ana.must("location", "set", "Lisbon")

      let run = try await ana.must("location", "show", "--as", "bob", "--explain")
      #expect(run.output == "You share nothing with @bob.\n")
      #expect(run.errors.contains("`rally location share area bob`"))
      let hidden = try await explanation(of: "@bob")
      #expect(
        Set(hidden.object?.keys.map(\.self) ?? []) == [
          "username", "visible", "reason", "sentence", "advice", "location",
        ])
      #expect(hidden["username"] == "bob")
      #expect(hidden["visible"] == false)
      #expect(hidden["reason"] == "off")
      #expect(hidden["location"] == .null)

      try await ana.must("location", "share", "area", "bob")
      let shown = try await explanation(of: "bob")
      #expect(shown["visible"] == true)
      #expect(shown["reason"] == .null)
      #expect(
        try await ana.must("location", "show", "--as", "bob", "--json").json()
          == shown["location"])

      try await ana.must("location", "ghost", "on")
      #expect(try await explanation(of: "bob")["reason"] == "ghost")
      // Bob's block is not told: the answer is that about a name which nobody has, but for the name.
      try await bob.must("friends", "block", "ana")
      let blocker = try await ana.must("location", "show", "--as", "bob", "--explain")
      let nobody = try await ana.must("location", "show", "--as", "nobody", "--explain")
      #expect(blocker.output.contains("@bob is not one of your friends"))
      #expect(
        (blocker.output + blocker.errors).replacing("bob", with: "nobody")
          == nobody.output + nobody.errors)
      #expect(try await ana.rally("location", "show", "--explain").status == .exited(2))
    }

    @Test func `a ghost that does not reach the server says so`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      try await ana.must("location", "share", "precise")
      served.command.signal(SIGKILL)
      let run = try await ana.rally("location", "ghost", "on")
      #expect(run.status == .exited(4))
      #expect(run.errors.contains("You are not a ghost yet"))
      #expect(run.errors.contains("may still see you"))
      // What would be shared meanwhile would be taken away again.
      let share = try await ana.rally("location", "share", "city", "--yes")
      #expect(share.status == .exited(5))
      #expect(share.errors.contains("You are becoming a ghost"))
    }

    @Test func `what cannot be is refused with the status that says why`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      _ = try await served.home("eve")
      #expect(try await ana.rally("where", "eve").status == .exited(5))
      #expect(try await ana.rally("location", "share", "precise", "eve").status == .exited(5))
      #expect(try await ana.rally("location", "show", "--as", "eve").status == .exited(5))
      #expect(try await ana.rally("location", "share", "everything").status == .exited(2))
      #expect(
        try await ana.rally("location", "share", "city", "--for", "2w").status == .exited(2))
      #expect(try await served.home().rally("where").status == .exited(3))
    }
  }
}
