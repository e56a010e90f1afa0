import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct PrivacyVerbTests {
    private static let place = "38.7223,-9.1393"

    private func pair() async throws -> (served: ServedRally, ana: Home, bob: Home) {
      let served = try await ServedRally()
      let (ana, bob) = (try await served.home("ana"), try await served.home("bob"))
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("location", "share", "precise", "@bob")
      return (served, ana, bob)
    }

    @Test func `a zone around where one is hides it, until it is removed`() async throws {
      let (_, ana, bob) = try await pair()
      try await ana.must("location", "set", Self.place)
      #expect(try await bob.must("where", "--json").json().array?.count == 1)
      let made = try await ana.must(
        "location", "zone", "add", "Home", "--radius", "250 m", "--json")
      let row = try made.json()
      #expect(row["name"] == "home" && row["leaves"] == "nothing" && row["kept"] == "machine")
      #expect(row["protects_m"]?.asNumber == 250 && row["radius_m"]?.asNumber == 375)
      #expect(made.errors.contains("shared with 1 · held back in home"))
      #expect(try await bob.must("where", "--json").json() == [])
      let set = try await ana.must("location", "set", Self.place)
      #expect(set.errors.contains("held back in home"))
      #expect(try await bob.must("where", "--json").json() == [])
      let shown = try await ana.must("location", "show", "--json").json()
      #expect(
        shown["held_back"] == ["reason": "zone", "zone": "home", "leaves": "nothing"])
      #expect(
        try await ana.must("location", "show").errors.contains("You are in home: nothing leaves."))
      #expect(try await ana.must("where").errors.contains("You are in home: nothing leaves."))
      let listed = try await ana.must("location", "zone", "list")
      #expect(listed.output.contains("home  nothing leaves within 250 m  this machine"))

      try await ana.must("location", "zone", "remove", "home")
      #expect(try await bob.must("where", "--json").json().array?.count == 1)
      #expect(try await ana.must("location", "zone", "list", "--json").json() == [])
      #expect(try await ana.rally("location", "zone", "remove", "home").status == .exited(2))
      for wrong in [["--radius", "5 m"], ["--radius", "60 km"], ["--at", "Lisbon"]] {
        let run = try await CommandRun.of(
          RallyBinary.required(), ["location", "zone", "add", "home"] + wrong + ana.flags,
          environment: ana.environment)
        #expect(run.status == .exited(2), "\(run)")
      }
    }

    @Test
    func `a check-in in a zone is refused by its name, and nearby sends no more than the city`()
      async throws
    {
      let (_, ana, _) = try await pair()
      try await ana.must("location", "set", Self.place)
      let mission = try await ana.must(
        "missions", "new", "--title", "Door", "--at", Self.place, "--objective", "Blue", "--json"
      ).json()
      let id = try #require(mission["id"]?.string)
      try await ana.must("location", "zone", "add", "home")
      let run = try await ana.rally("missions", "check-in", id)
      #expect(run.status == .exited(5))
      #expect(run.errors.contains("your zone home"))
      #expect(run.errors.contains("rally location zone remove home"))
      #expect(try await ana.rally("missions", "list", "--scope", "nearby").status == .exited(5))
      #expect(try await ana.rally("missions", "new", "--title", "Here").status == .exited(2))
      try await ana.must("location", "zone", "remove", "home")
      try await ana.must("missions", "check-in", id)
      #expect(try await ana.must("missions", "list", "--scope", "nearby", "--json").succeeded)
    }

    @Test func `hours are added, listed and removed`() async throws {
      let (_, ana, bob) = try await pair()
      // Over at this time of every day, by the clock of this machine.
      let now = WireTime.now.microseconds / 1_000_000 + Int64(TimeZone.current.secondsFromGMT())
      let hour = Int(now / 3600 % 24)
      let (from, to) = ((hour + 3) % 24, (hour + 4) % 24)
      let made = try await ana.must(
        "location", "hours", "add", "work", "\(from)-\(to == 0 ? 24 : to)", "--json")
      #expect(try made.json()["name"] == "work")
      let set = try await ana.must("location", "set", Self.place)
      #expect(set.errors.contains("held back until "))
      #expect(try await bob.must("where", "--json").json() == [])
      #expect(try await ana.must("location", "hours", "list").output.contains("work  mon-sun "))
      #expect(
        try await ana.rally("location", "hours", "add", "work", "noon").status == .exited(2))
      try await ana.must("location", "hours", "remove", "work")
      #expect(try await bob.must("where", "--json").json().array?.count == 1)
    }

    @Test func `a phone is added with what holds for it said, and zones kept with the account`()
      async throws
    {
      let (served, ana, _) = try await pair()
      try await ana.must("location", "zone", "add", "home", "--at", Self.place)
      let added = try await ana.must("location", "phone", "add", "overland")
      #expect(added.errors.contains("do not hold for a phone"))
      #expect(try await ana.must("location", "zone", "list").output.contains("this machine"))
      try await ana.must("location", "hours", "add", "always", "0-24")
      let kept = try await ana.must(
        "location", "phone", "add", "traccar", "--keep-zones", "--json")
      #expect(kept.errors.contains("hold for phones too"))
      #expect(
        try await ana.must("location", "zone", "list", "--json").json().array?.first?["kept"]
          == "account")
      // Another machine of the account has them too.
      let other = try served.home()
      try await other.must(
        "login", "--email", "ana@example.org", "--password-stdin", input: Home.password + "\n")
      #expect(
        try await other.must("location", "zone", "list").output.contains(
          "home  nothing leaves within 300 m  account"))
      let set = try await other.must("location", "set", Self.place)
      #expect(set.errors.contains("held back in home"))
      try await ana.must("location", "zone", "keep", "--on-this-machine")
      let out = try await ana.must("logout")
      #expect(out.errors.contains("kept on this machine only"))
    }

    @Test func `on a terminal adding a phone asks about the zones`() async throws {
      let (_, ana, _) = try await pair()
      try await ana.must("location", "zone", "add", "home", "--at", Self.place)
      let session = try await ana.open(
        rows: 60, columns: 120, "location", "phone", "add", "gpslogger")
      try await session.waitFor("Keep them with your account, so that they do? [y/N]")
      session.send("y\r")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(
        try await ana.must("location", "zone", "list", "--json").json().array?.first?["kept"]
          == "account")
    }
  }
}
