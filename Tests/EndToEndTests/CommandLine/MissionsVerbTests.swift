import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct MissionsVerbTests {
    @Test func `an import beyond a budget says that it waits, and makes everything`() async throws {
      // Six at once for an account of today, and one more ten seconds later.
      let served = try await ServedRally("--budget", "missions-per-minute=18")
      let ana = try await served.home("ana")
      let features = (1...7).map {
        """
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [-9.13, 38.712]},
         "properties": {"title": "Mission \($0)"}}
        """
      }.joined(separator: ",")
      let file = ana.folder.file("missions.geojson")
      try "{\"type\": \"FeatureCollection\", \"features\": [\(features)]}".write(
        toFile: file, atomically: true, encoding: .utf8)

      let run = try await ana.must("missions", "import", file)

      #expect(run.errors.contains("The server asks to wait; going on in "), "\(run)")
      #expect(run.errors.contains("7 missions made."))
      #expect(try await ana.must("missions", "--json").json().array?.count == 7)
    }

    @Test func `three people play a mission by their command lines`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      let eve = try await served.home("eve")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await served.befriend(ana, eve, named: ("ana", "eve"))

      let made = try await ana.must(
        "missions", "new", "--title", "Lanterns of Alfama", "--brief", "Find the doors.", "--at",
        "38.712,-9.13", "--radius", "400 m", "--ends", "in 3h", "--capacity", "3", "--objective",
        "Blue door@38.7125,-9.1311", "--objective", "Cats x2", "--json"
      ).json()
      #expect(
        Set(made.object?.keys.map(\.self) ?? []) == [
          "id", "creator_id", "title", "brief", "latitude", "longitude", "radius_m", "starts_at",
          "ends_at", "series", "capacity", "visibility", "state", "phase", "created_at",
          "closed_at", "is_live",
          "version", "objectives", "members", "member_count", "is_full",
          "my_state", "distance_m",
        ])
      #expect(made["radius_m"]?.asNumber == 400)
      #expect(made["phase"] == "active")
      #expect(made["visibility"] == "invited")
      #expect(made["closed_at"] == .null)
      let objective = try #require(made["objectives"]?.array?.first)
      #expect(
        Set(objective.object?.keys.map(\.self) ?? []) == [
          "id", "title", "latitude", "longitude", "radius_m", "count", "check_ins", "last_by",
          "last_at",
        ])
      #expect(made["objectives"]?.array?.map { $0["count"] } == [1, 2])

      // Nobody who is not asked knows of it.
      #expect(try await bob.must("missions", "--json").json() == [])
      #expect(try await bob.rally("missions", "show", "Lanterns").status == .exited(5))
      let asked = try await ana.must("missions", "invite", "Lanterns", "bob", "@eve")
      #expect(asked.errors.contains("You asked @bob, @eve into Lanterns of Alfama."))
      let again = try await ana.must("missions", "invite", "Lanterns", "bob")
      #expect(!again.errors.contains("You asked"))
      #expect(again.errors.contains("In Lanterns of Alfama already, or asked into it: @bob."))
      let waiting = try await bob.must("missions", "list", "--json").json()
      #expect(waiting.array?.map { $0["my_state"] } == ["invited"])

      let joined = try await bob.must("missions", "join", "lanterns", "--json").json()
      #expect(joined["my_state"] == "joined")
      try await eve.must("missions", "join", "Lanterns of Alfama")

      // Where one is counts, and is said.
      let far = try await bob.rally(
        "missions", "check-in", "Lant", "blue", "--at", "38.8,-9.1311")
      #expect(far.status == .exited(5))
      #expect(far.errors.contains("km away"))
      #expect(try await bob.rally("missions", "check-in", "Lant", "2").status == .exited(2))
      let done = try await bob.must(
        "missions", "check-in", "Lant", "blue", "--at", "38.7125,-9.1311", "--json"
      ).json()
      #expect(done["objectives"]?.array?.map { $0["check_ins"] } == [1, 0])
      // What is left is meant by itself, at the place that was said before.
      try await eve.must("location", "set", "38.712,-9.13")
      try await eve.must("missions", "check-in", "Lant")

      try await eve.must("missions", "say", "Lant", "the", "second cat", "sleeps")
      let feed = try await ana.must("feed", "--json").json()
      let lines = try #require(feed.array)
      #expect(
        lines.map { $0["kind"] } == [
          "created", "joined", "joined", "checked_in", "checked_in", "said",
        ])
      #expect(
        Set(lines[3].object?.keys.map(\.self) ?? []) == [
          "id", "mission_id", "mission_title", "kind", "user_id", "username", "display_name",
          "objective_id", "objective_title", "text", "created_at",
        ])
      #expect(lines[3]["objective_title"] == "Blue door")
      #expect(lines[5]["text"] == "the second cat sleeps")
      let text = try await ana.must("feed", "Lanterns", "--limit", "2")
      #expect(text.output.contains(" eve: “the second cat sleeps”"))
      #expect(text.output.split(separator: "\n").count == 2)

      // Only who made it ends it.
      #expect(try await bob.rally("missions", "complete", "Lant").status == .exited(5))
      try await ana.must("missions", "complete", "Lant")
      #expect(try await ana.must("missions", "--json").json() == [])
      let over = try await bob.must("missions", "list", "--scope", "done", "--json").json()
      #expect(over.array?.map { $0["phase"] } == ["completed"])
      #expect(try await eve.rally("missions", "check-in", "Lant", "2").status == .exited(5))
    }

    @Test func `the card of a mission is text, a picture or JSON`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      try await ana.must(
        "missions", "new", "--title", "Cats & <dogs>", "--at", "38.712,-9.13", "--objective",
        "Stone cat", "--objective", "Red dog")
      try await ana.must("missions", "check-in", "Cats", "Stone", "--at", "38.712,-9.13")
      let open = try await ana.must("missions", "card", "Cats")
      #expect(open.output.hasPrefix("Cats & <dogs>\nIn progress · Lisbon\n\n✓ Stone cat  @ana"))
      #expect(open.output.hasSuffix("· Red dog\n\nWith @ana.\n"))
      try await ana.must("missions", "check-in", "Cats", "Red", "--at", "38.712,-9.13")

      let svg = try await ana.must("missions", "card", "Cats", "--svg").output
      #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
      #expect(svg.contains("<title>Cats &amp; &lt;dogs&gt;</title>"))
      #expect(svg.contains(">Completed "))
      let file = ana.folder.file("card.svg")
      let written = try await ana.must("missions", "card", "Cats", "--svg", "--output", file)
      #expect(written.output.isEmpty)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == svg)

      let json = try await ana.must("missions", "card", "Cats", "--json").json()
      #expect(json["phase"] == "completed")
      #expect(json["objectives"]?.array?.map { $0["by"] } == ["ana", "ana"])
      #expect(json["members"] == ["ana"])

      #expect(
        try await ana.rally("missions", "card", "Cats", "--svg", "--json").status == .exited(2))
      let unwritten = try await ana.rally(
        "missions", "card", "Cats", "-o", ana.folder.file("nowhere/card.txt"))
      #expect(unwritten.status == .exited(1))
      #expect(unwritten.errors.contains("cannot be written"))
      #expect(try await ana.rally("missions", "card", "Dogs").status == .exited(5))
    }

    @Test func `a mission is named by what begins like it, if that is the only one`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      var ids: [String] = []
      for title in ["Fog run", "Fog", "Trees"] {
        let run = try await ana.must("missions", "new", "--title", title, "--at", "38.7,-9.1")
        ids.append(run.output.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      #expect(try await ana.must("missions", "show", "tré").output.hasPrefix("Trees\n"))
      #expect(
        try await ana.must("missions", "show", String(ids[0].prefix(8))).output
          .hasPrefix("Fog run\n"))
      // What is called exactly so is meant.
      #expect(try await ana.must("missions", "show", "fog").output.hasPrefix("Fog\n"))
      let several = try await ana.rally("missions", "show", "Fo")
      #expect(several.status == .exited(2))
      #expect(several.errors.contains("2 missions begin"))
      #expect(several.errors.contains(ids[1].prefix(8)))
      #expect(try await ana.rally("missions", "show", "Lanterns").status == .exited(5))
      // The open one of two.
      try await ana.must("missions", "cancel", "Trees")
      try await ana.must("missions", "new", "--title", "Trees", "--at", "38.7,-9.1")
      #expect(try await ana.must("missions", "join", "Trees", "--json").json()["phase"] == "active")
    }

    @Test func `what is near is told with its distance, the nearest first`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      for (title, place) in [("Far", "39,-9"), ("Near", "38.01,-9")] {
        try await ana.must(
          "missions", "new", "--title", title, "--at", place, "--visibility", "friends")
      }
      #expect(
        try await bob.rally("missions", "list", "--scope", "nearby").status == .exited(2))
      let near = try await bob.must("missions", "list", "--near", "38,-9", "--json").json()
      #expect(near.array?.map { $0["title"] } == ["Near"])
      #expect(near.array?.first?["distance_m"]?.asNumber == 1112)
      let all = try await bob.must(
        "missions", "list", "--near", "38,-9", "--radius", "200", "--json"
      ).json()
      #expect(all.array?.map { $0["title"] } == ["Near", "Far"])
    }

    @Test func `what cannot be is refused with the status that says why`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      #expect(try await served.home().rally("missions").status == .exited(3))
      #expect(try await served.home().rally("feed").status == .exited(3))
      #expect(
        try await ana.rally("missions", "new", "--title", "A").status == .exited(2),
        "nobody knows where")
      for wrong in [
        ["--radius", "3 m"], ["--ends", "yesterday"], ["--capacity", "0"], ["--objective", "A x0"],
        ["--objective", "Door@Nowhereville"], ["--visibility", "public"],
        ["--starts", "in 3h", "--ends", "in 2h"],
      ] {
        let run = try await CommandRun.of(
          RallyBinary.required(),
          ["missions", "new", "--title", "A", "--at", "38,-9"] + wrong + ana.flags,
          environment: ana.environment, input: "")
        #expect(run.status == .exited(2), "\(wrong)")
      }
      #expect(try await ana.rally("missions", "new", "--title", " ").status == .exited(2))
      served.command.signal(SIGKILL)
      #expect(try await ana.rally("missions").status == .exited(4))
      #expect(try await ana.rally("missions", "import", "nothing.gpx").status == .exited(2))
    }

    @Test func `what is exported is imported as the same, and once`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await ana.must(
        "missions", "new", "--title", "Lanterns, \"and more\"", "--at", "38.712,-9.13", "--ends",
        "in 3h", "--capacity", "6", "--objective", "Blue door@38.7125,-9.1311", "--objective",
        "Cats x2")
      try await ana.must("missions", "new", "--title", "Fog run", "--at", "Lisbon")
      let path = ana.folder.file("missions.geojson")
      try await ana.must("missions", "export", "-o", path)

      let preview = try await bob.must("missions", "import", path, "--dry-run", "--json").json()
      #expect(preview["missions"]?.array?.count == 2)
      #expect(preview["problems"] == [])
      #expect(try await bob.must("missions", "--json").json() == [])
      let first = try await bob.must("missions", "import", path, "--json").json()
      #expect(first["missions"]?.array?.map { $0["result"] } == ["made", "made"])
      let again = try await bob.must("missions", "import", path, "--json").json()
      #expect(again == first)

      let back = bob.folder.file("back.geojson")
      try await bob.must("missions", "export", "-o", back)
      func features(_ path: String) throws -> [[JSONValue?]] {
        let data = try #require(FileManager.default.contents(atPath: path))
        let document = try WireJSON.decode(JSONValue.self, from: data)
        return (document["features"]?.array ?? []).map { [$0["geometry"], $0["properties"]] }
          .sorted { ($0[1]?["title"]?.string ?? "") < ($1[1]?["title"]?.string ?? "") }
      }
      #expect(try features(path) == features(back))
      #expect(try features(path).count == 2)

      let calendar = try await bob.must("missions", "export", "--format", "ics").output
      #expect(calendar.hasPrefix("BEGIN:VCALENDAR\r\n"))
      #expect(calendar.contains("SUMMARY:Lanterns\\, \"and more\"\r\n"))
    }

    @Test func `a file with mistakes brings the rest, and its lines are told`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let path = ana.folder.file("walk.geojson")
      let text = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{"name":"A"}},
        {"type":"Feature","geometry":{"type":"Point","coordinates":[0,0]},"properties":{}}]}
        """
      try Data(text.utf8).write(to: URL(filePath: path))
      let run = try await ana.rally("missions", "import", path)
      #expect(run.status == .exited(5))
      #expect(run.output.contains("line 2  A"))
      #expect(run.errors.contains("\(path):3: Give the mission a title."))
      #expect(try await ana.must("missions", "--json").json().array?.map { $0["title"] } == ["A"])
    }
  }
}
