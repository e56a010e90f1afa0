import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct MapVerbTests {
    @Test func `without an account it is the map alone, as large as asked`() async throws {
      let home = try Home()
      let run = try await home.must("map", "--size", "100x30", "--at", "48,11", "--zoom", "4")
      let lines = run.pictureLines
      #expect(lines.count == 30)
      #expect(lines.allSatisfy { $0.count <= 100 })
      #expect(lines.contains { $0.contains("Germany") || $0.contains("Munich") })
      #expect(lines.joined().unicodeScalars.contains { (0x2801...0x28FF).contains($0.value) })
      #expect(!run.output.contains("\u{1B}"))
      #expect(!run.output.contains("Natural Earth"))
      #expect(run.errors == "Map data: Natural Earth, © GeoNames.\n")
      #expect(home.servers.isEmpty, "nobody needs a server for it")
      let quiet = try await home.must("map", "--quiet")
      #expect(quiet.errors == "")
    }

    @Test func `in a pipe the whole world has 80x24 cells`() async throws {
      let lines = try await Home().must("map").pictureLines
      #expect(lines.count == 24)
      #expect(lines.allSatisfy { $0.count <= 80 })
      #expect(lines.last?.hasPrefix("└") == true)
    }

    @Test func `ascii is ascii, by flag, by the configuration and by the locale`() async throws {
      let home = try Home()
      for arguments in [["--glyphs", "ascii"], ["--plain"]] {
        let run = try await CommandRun.of(
          RallyBinary.required(), ["map"] + arguments, environment: home.environment)
        #expect(run.pictureLines.count == 24)
        #expect(run.output.allSatisfy { $0.isASCII }, "\(arguments)")
      }
      let poor = try await home.rally("map", adding: ["LANG": "C"])
      #expect(poor.output.allSatisfy { $0.isASCII })

      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[map]\nglyphs = \"blocks\"\n".write(
        toFile: folder + "/config.toml", atomically: true, encoding: .utf8)
      let blocks = try await home.must("map")
      #expect(blocks.output.contains("▀") || blocks.output.contains("▖"))
      #expect(!blocks.output.contains("⣿") && !blocks.output.contains("⠁"))
    }

    @Test func `colours are for a terminal, or for who asks`() async throws {
      let home = try Home()
      let run = try await home.must("map", "--color", "always")
      #expect(run.output.contains("\u{1B}[0;38;5;153;48;5;24m"))
      // It is night somewhere.
      #expect(run.output.contains("48;5;17m"))
      #expect(run.pictureLines.count == 24)
      let plain = try await home.must("map", "--color", "never")
      #expect(!plain.output.contains("\u{1B}"))

      let session = try await home.open(rows: 24, columns: 60, "map")
      let screen = try await session.waitUntil("the map and its end") {
        $0.contains("Natural Earth")
      }
      // All of it is still to be seen: the first line has not scrolled away.
      let whole = try await home.must("map", "--size", "60x22").pictureLines
      #expect(screen.lines[0].hasPrefix(try #require(whole.first)))
      #expect(screen.lines[21].contains("km"))
      #expect(screen.lines[22].hasPrefix("Map data"))
    }

    @Test func `a terminal too small for a map is told what it needs`() async throws {
      let home = try Home()
      let session = try await home.open(rows: 6, columns: 90, "map")
      #expect(try await session.waitForExit() == .exited(6))
      let text = session.screen.text
      #expect(text.contains("A map needs 20 columns and 7 rows; this terminal has 90 and 6."))
      #expect(text.contains("--size 80x24"))
      #expect(!text.contains("Natural Earth"))
      let sized = try await home.open(rows: 6, columns: 90, "map", "--size", "10x3", "--quiet")
      #expect(try await sized.waitForExit() == .exited(0))
    }

    @Test func `json tells what is where`() async throws {
      let json = try await Home().must(
        "map", "--json", "--size", "60x20", "--at", "-33.86,151.21", "--zoom", "5"
      ).json()
      #expect(
        Set(json.object?.keys.map(\.self) ?? []) == [
          "columns", "rows", "center", "zoom", "lines", "pins", "scale", "attribution",
        ])
      #expect(json["columns"] == 60)
      #expect(json["rows"] == 20)
      #expect(json["zoom"] == 5)
      #expect(json["lines"]?.array?.count == 20)
      #expect(json["pins"] == [])
      #expect(json["scale"]?["label"]?.string?.hasSuffix("km") == true)
      #expect(json["attribution"] == "Natural Earth, © GeoNames")
      let latitude = try #require(json["center"]?["latitude"]?.asNumber)
      #expect(abs(latitude + 33.86) < 0.01)
    }

    @Test(arguments: [
      ("Tallinn", 59.437, 24.7535), ("64.15,-21.94", 64.15, -21.94),
      ("-41.29,174.78", -41.29, 174.78),
    ])
    func `the place of --at is the centre, far from the equator too`(
      _ place: String, _ latitude: Double, _ longitude: Double
    ) async throws {
      let json = try await Home().must(
        "map", "--json", "--no-people", "--size", "120x40", "--at", place, "--zoom", "6"
      ).json()
      let center = try #require(json["center"])
      #expect(abs(try #require(center["latitude"]?.asNumber) - latitude) < 0.01)
      #expect(abs(try #require(center["longitude"]?.asNumber) - longitude) < 0.01)
    }

    @Test(arguments: [
      ["--size", "100"], ["--size", "0x10"], ["--size", "5000x10"], ["--at", "Nowhereville"],
      ["--at", "91,0"], ["--zoom", "19"], ["--zoom", "-1"], ["--zoom", "nan"],
      ["--zoom", "near"], ["--glyphs", "dots"],
    ])
    func `what cannot be is answered with what to type`(_ arguments: [String]) async throws {
      let home = try Home()
      let run = try await CommandRun.of(
        RallyBinary.required(), ["map"] + arguments, environment: home.environment)
      #expect(run.status == .exited(2))
      #expect(run.output == "")
      #expect(!run.errors.isEmpty)
    }

    @Test func `friends who share stand on the map, and so do I`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Pereira")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      try await ana.must("location", "share", "precise", "@bob")
      try await ana.must("location", "set", "48.8606,2.3376")
      try await bob.must("location", "set", "38.7223,-9.1393")

      let picture = try await bob.must("map")
      #expect(picture.pictureLines.contains { $0.contains("●ana") })
      #expect(picture.output.contains("@"))
      // Who sees a friend is not seen by them.
      let hers = try await ana.must("map")
      #expect(!hers.output.contains("bob"))

      let alone = try await bob.must("map", "--no-people")
      #expect(!alone.output.contains("ana") && !alone.output.contains("@"))

      let plain = try await bob.must("map", "--plain")
      #expect(plain.pictureLines.count == 1)
      #expect(plain.output.hasPrefix("Ana Pereira @ana, Paris, "))
      #expect(plain.output.contains("1,453 km NE of you"))
      #expect(plain.output.allSatisfy { $0.isASCII || $0 == "±" })

      let json = try await bob.must("map", "--json").json()
      let pins = try #require(json["pins"]?.array)
      #expect(pins.map { $0["username"] } == ["ana", .null])
      #expect(pins.map { $0["is_me"] } == [false, true])
      let pin = try #require(pins.first)
      #expect(
        Set(pin.object?.keys.map(\.self) ?? []) == [
          "username", "display_name", "is_me", "column", "row", "latitude", "longitude",
          "precision", "accuracy_m", "recorded_at",
        ])
      #expect(pin["precision"] == "precise")
      #expect(pin["latitude"] == .number(48.8606))
      let column = try #require(pin["column"]?.asNumber)
      let row = try #require(pin["row"]?.asNumber)
      let line = try #require(json["lines"]?.array?[Int(row)].string)
      #expect(Array(line)[Int(column)] == "●")
    }

    @Test func `a server that is away leaves the map, and is said to be away`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      try await ana.must("location", "set", "Lisbon")
      served.command.signal(SIGKILL)
      let run = try await ana.must("map")
      #expect(run.pictureLines.count == 24)
      #expect(run.output.contains("@"))
      #expect(run.errors.contains("No friends on the map: Server not reached"))
      let without = try await ana.must("map", "--no-people")
      #expect(!without.errors.contains("Server"))
    }
  }
}

extension CommandRun {
  /// The lines of standard output.
  fileprivate var pictureLines: [Substring] {
    output.dropLast(output.hasSuffix("\n") ? 1 : 0)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }
}
