import Foundation
import RallyMap
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyStreets

extension EndToEnd {
  /// `rally map add` and its neighbours, with Monaco.
  @Suite struct MapAddTests {
    private static let fixtures = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "RallyStreetsTests/Fixtures")

    static func path(_ name: String) -> String { fixtures.appending(path: name).path }

    private static func bytes(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: fixtures.appending(path: name)))
    }

    /// 48 tiles of 150 kB: several requests.
    private func large(in home: Home, title: String = "Large") throws -> [UInt8] {
      var noise = SeededGenerator(seed: 8)
      let path = home.folder.file("large.pmtiles")
      let metadata = try JSONSerialization.data(
        withJSONObject: ["name": title, "attribution": "<b>us</b>\u{1B}[31m"])
      let writer = try PMTilesWriter(
        path: path, bounds: .world, metadata: Array(metadata), isPacked: false)
      for x in 0..<8 {
        for y in 0..<6 {
          let start = noise.next()
          // One road, and a field that readers skip.
          var bytes = Self.road + [0x82, 0x01]
          let count = 150_000 - bytes.count - 3
          bytes.append(varint: UInt64(count))
          bytes += [UInt8(x), UInt8(y)]
          bytes += (2..<UInt64(count)).map { UInt8(truncatingIfNeeded: start &+ $0) }
          try writer.add(#require(TileAddress(zoom: 3, x: x, y: y)), bytes)
        }
      }
      try writer.finish()
      return Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// A vector tile with one layer of one road.
    static let road: [UInt8] =
      [0x1A, 0x34, 0x0A, 0x0E] + Array("transportation".utf8)
      + [0x12, 0x10, 0x12, 0x02, 0, 0, 0x18, 2, 0x22, 8, 9, 0, 0x80, 0x20, 10, 0x80, 0x40, 0]
      + [0x1A, 5] + Array("class".utf8) + [0x22, 4, 0x0A, 2] + Array("up".utf8)
      + [0x28, 0x80, 0x20, 0x78, 2]

    private func folder(_ home: Home) -> StreetFolder {
      StreetFolder(path: home.folder.file("data/rally/streets"))
    }

    // MARK: Files

    @Test(arguments: ["monaco.pmtiles", "monaco.mbtiles"])
    func `a file is added, listed, described and removed`(file: String) async throws {
      let home = try Home()
      let added = try await home.must("map", "add", Self.path(file))
      #expect(added.output == "")
      #expect(added.errors.contains("Added monaco: 23 tiles, "))
      #expect(home.servers.isEmpty, "nobody needs a server for it")

      let list = try await home.must("map", "list")
      #expect(list.output.hasPrefix("monaco  "))
      #expect(list.output.contains("zoom 0-14"))
      let row = try #require(try await home.must("map", "list", "--json").json().array?.first)
      #expect(
        Set(row.object?.keys.map(\.self) ?? []) == [
          "name", "path", "bytes", "state", "title", "format", "west", "south", "east", "north",
          "minimum_zoom", "maximum_zoom", "tiles", "attribution", "layers", "problem",
        ])
      #expect(row["state"] == "whole")
      #expect(row["tiles"] == 23)
      #expect(row["attribution"] == .null)
      #expect(try await home.must("map", "info", "monaco", "--json").json() == row)
      let info = try await home.must("map", "info", "monaco").output
      #expect(info.contains("area    7.4,43.715,7.45,43.76\n"))
      let path = try #require(row["path"]?.string)
      #expect(try await home.must("map", "info", path).output.contains("PMTiles"))

      let again = try await home.rally("map", "add", Self.path(file))
      #expect(again.status == .exited(1))
      #expect(again.errors.contains("There are streets called monaco already."))
      try await home.must("map", "remove", "monaco")
      #expect(try await home.must("map", "list").output == "")
      let gone = try await home.rally("map", "remove", "monaco")
      #expect(gone.status == .exited(1))
      #expect(gone.errors.contains("no streets called monaco"))
    }

    @Test func `an area is cut out by its edges, or around a place`() async throws {
      let home = try Home()
      try await home.must(
        "map", "add", Self.path("monaco.pmtiles"), "--bbox", "7.401,43.72,7.402,43.721", "--name",
        "corner")
      let around = try await home.must(
        "map", "add", Self.path("monaco.mbtiles"), "--around", "43.7384,7.4246", "--radius",
        "300m", "--json"
      ).json()
      #expect(around["name"] == "monaco")
      for name in ["corner", "monaco"] {
        let row = try await home.must("map", "info", name, "--json").json()
        let tiles = try #require(row["tiles"]?.asNumber)
        #expect(tiles < 23 && tiles >= 15)
      }
    }

    @Test(arguments: [
      ["--bbox", "1,2,3"], ["--bbox", "3,2,1,4"], ["--radius", "2km"],
      ["--around", "Nowhereville"], ["--around", "Monaco", "--radius", "far"],
      ["--around", "Monaco", "--bbox", "1,2,3,4"], ["--name", "No name"], ["--around", "89,0"],
    ])
    func `what cannot be is answered with what to type`(_ arguments: [String]) async throws {
      let home = try Home()
      let run = try await CommandRun.of(
        RallyBinary.required(), ["map", "add", Self.path("monaco.pmtiles")] + arguments,
        environment: home.environment)
      #expect(run.status == .exited(2), "\(run)")
      #expect(run.output == "")
      #expect(!run.errors.isEmpty)
      #expect(folder(home).entries().isEmpty)
    }

    @Test func `an area without tiles adds nothing`() async throws {
      let home = try Home()
      let run = try await home.rally(
        "map", "add", Self.path("monaco.pmtiles"), "--around", "Lisbon")
      #expect(run.status == .exited(1))
      #expect(run.errors.contains("no tiles in this area"))
      #expect(folder(home).entries().isEmpty)
    }

    @Test(arguments: ["archives/empty.pmtiles", "archives/invalid_v4.pmtiles", "README.md", "none"])
    func `another file is refused with a sentence`(file: String) async throws {
      let home = try Home()
      for verb in ["add", "info"] {
        let run = try await home.rally("map", verb, Self.path(file))
        #expect(run.status == .exited(1))
        #expect(run.errors.hasPrefix("rally: "))
        #expect(run.errors.hasSuffix(".\n"))
      }
    }

    @Test func `text of an archive is cleaned`() async throws {
      let home = try Home()
      _ = try large(in: home, title: "\u{1B}]0;owned\u{7}\u{202E}evil\u{9B}31m")
      let add = try await home.must("map", "add", home.folder.file("large.pmtiles"))
      let list = try await home.must("map", "list")
      let info = try await home.must("map", "info", "large")
      let json = try await home.must("map", "list", "--json")
      for text in [add.errors, list.output, info.output, json.output] {
        #expect(
          !text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{9B}" })
      }
      #expect(info.output.contains("evil"))
      #expect(add.errors.contains("Map data: us [31m."))
    }

    // MARK: Addresses

    @Test func `from an address only the area's tiles are fetched`() async throws {
      let home = try Home()
      try await RangeServer.with(Self.bytes("monaco.pmtiles")) { server in
        try await home.must(
          "map", "add", server.url, "--yes", "--name", "part", "--bbox",
          "7.401,43.72,7.402,43.721")
        let part = try PMTilesArchive(path: folder(home).path(of: #require(StreetName("part"))))
        let needed = Int(part.header.tiles.length)
        #expect(part.info.tileCount == 15)
        #expect(server.sent <= needed + needed / 20)

        server.change()
        let whole = try await home.must("map", "add", server.url, "--yes")
        #expect(whole.errors.contains("23 tiles, 192 kB to fetch."))
        #expect(whole.errors.contains("Added city: 23 tiles"))
        #expect(server.sent <= 191_739 + 191_739 / 20)
        let copy = try PMTilesArchive(path: folder(home).path(of: #require(StreetName("city"))))
        let original = try PMTilesArchive(path: Self.path("monaco.pmtiles"))
        #expect(copy.info == original.info)
      }
    }

    @Test func `without a terminal a download needs --yes`() async throws {
      let home = try Home()
      try await RangeServer.with(Self.bytes("monaco.pmtiles")) { server in
        let run = try await home.rally("map", "add", server.url)
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("23 tiles, 192 kB to fetch."))
        #expect(run.errors.contains("--yes"))
        #expect(server.sent < 1000)
        #expect(folder(home).entries().isEmpty)
      }
    }

    @Test func `on a terminal it asks, and shows how far it is`() async throws {
      let home = try Home()
      try await RangeServer.with(large(in: home)) { server in
        let session = try await home.open(rows: 12, columns: 80, "map", "add", server.url)
        try await session.waitUntil("the question") { $0.contains("Fetch it? [y/N]") }
        session.send("y\n")
        let screen = try await session.waitUntil("the end") { $0.contains("Added city") }
        #expect(screen.contains("[========================] 100 %, 7.2 MB of 7.2 MB"))
        #expect(screen.contains("48 tiles, 7.2 MB to fetch."))
      }
    }

    @Test func `after a cut the same command goes on`() async throws {
      let home = try Home()
      let content = try large(in: home)
      try await RangeServer.with(content) { server in
        server.change { $0.cut = 5_000_000 }
        let cut = try await home.rally("map", "add", server.url, "--yes")
        #expect(cut.status == .exited(4))
        #expect(cut.errors.contains("The connection broke."))
        #expect(cut.errors.contains("The same command again goes on from there."))
        #expect(try await home.must("map", "list").output.contains("Not finished."))
        #expect(folder(home).names.isEmpty)

        server.change()
        let rest = try await home.must("map", "add", server.url, "--yes")
        #expect(rest.errors.contains("7.2 MB to fetch, of which 4.2 MB are there already."))
        #expect(server.sent < 3_100_000)
        #expect(try await home.must("map", "list", "--json").json().array?.first?["tiles"] == 48)
        #expect(
          try Data(contentsOf: URL(filePath: folder(home).path(of: #require(StreetName("city")))))
            .count == content.count)
      }
    }

    @Test func `another file at the address is fetched from its beginning`() async throws {
      let home = try Home()
      try await RangeServer.with(large(in: home)) { server in
        server.change { $0.cut = 5_000_000 }
        _ = try await home.rally("map", "add", server.url, "--yes")
        server.change { $0.etag = "\"2\"" }
        let whole = try await home.must("map", "add", server.url, "--yes")
        #expect(whole.errors.contains("7.2 MB to fetch."))
        #expect(server.sent > 7_000_000)
      }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted download says so, and goes on later`(signal: Int32) async throws {
      let home = try Home()
      try await RangeServer.with(large(in: home)) { server in
        server.change { $0.silence = 5_000_000 }
        let running = try RunningCommand(
          RallyBinary.required(), ["map", "add", server.url, "--yes"],
          environment: home.environment)
        #expect(await server.hasSent(5_000_000))
        running.signal(signal)
        #expect(try await running.waitForExit() == .exited(1))
        #expect(running.snapshot.errorText.contains("Stopped."))
        #expect(running.snapshot.errorText.contains("The same command again goes on from there."))
        server.change()
        try await home.must("map", "add", server.url, "--yes")
        #expect(server.sent < 3_100_000)
      }
    }

    @Test func `a server that cannot send parts is refused with what to do`() async throws {
      let home = try Home()
      try await RangeServer.with(Self.bytes("monaco.pmtiles")) { server in
        server.change { $0.ignoresRanges = true }
        let ignored = try await home.rally("map", "add", server.url, "--yes")
        #expect(ignored.status == .exited(1))
        #expect(ignored.errors.contains("Download the whole file, then add it from there."))
        server.change { $0.shift = 3 }
        let wrong = try await home.rally("map", "add", server.url, "--yes")
        #expect(wrong.status == .exited(1))
        #expect(wrong.errors.contains("another part of the file"))
        #expect(folder(home).entries().isEmpty)
      }
    }

    @Test func `plain http to a public address is refused`() async throws {
      let run = try await Home().rally("map", "add", "http://203.0.113.7/city.pmtiles", "--yes")
      #expect(run.status == .exited(2))
      #expect(run.errors.contains("Without TLS"))
      #expect(run.errors.contains("--insecure"))
    }

    @Test func `an address is trusted by the rules of the server's`() async throws {
      let home = try Home()
      let authority = try await TestAuthority()
      try await RangeServer.with(
        Self.bytes("monaco.pmtiles"), certificate: authority.certificate()
      ) { server in
        let stranger = try await home.rally("map", "add", server.url, "--yes", "--insecure")
        #expect(stranger.status == .exited(4))
        #expect(folder(home).entries().isEmpty)
        let trusted = try await home.rally(
          "map", "add", server.url, "--yes", adding: ["SSL_CERT_FILE": authority.path])
        #expect(trusted.succeeded, "\(trusted)")
      }
    }

    // MARK: From the group's server

    @Test func `a group takes the streets that its server offers, and only so`() async throws {
      let served = try await ServedRally(
        "--streets", Self.path("monaco.pmtiles"), "--log-level", "info")
      let home = try await served.home("ana")
      let added = try await home.must("map", "add", "--from-server", "--yes")
      #expect(added.errors.contains("Added streets: 23 tiles, "))
      func fetches() -> Int { served.command.snapshot.errorText.ranges(of: "status=206").count }
      let fetched = fetches()
      #expect(fetched > 0)

      // Who looks at the map asks nobody.
      try await home.must("location", "set", "43.7357,7.4198")
      let map = try await home.must("map", "--zoom", "16", "--size", "120x40")
      #expect(map.output.contains("Rue Grimaldi"))
      #expect(fetches() == fetched)

      // The key of the server alone is not enough, and without it nothing is.
      let visitor = try await served.home().rally("map", "add", "--from-server", "--yes")
      #expect(visitor.status == .exited(5))
      #expect(visitor.errors.contains("Sign in first"), "\(visitor)")
      let stranger = try Home(flags: ["--server", served.announcement.url, "--key", "wrong"])
      let refused = try await stranger.rally("map", "add", "--from-server", "--yes")
      #expect(refused.status == .exited(5))
      #expect(refused.errors.contains("API key"))
    }

    @Test func `a server without streets says so, and whom to ask`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let run = try await home.rally("map", "add", "--from-server", "--yes")
      #expect(run.status == .exited(5))
      #expect(run.errors.contains("offers no streets"))
      #expect(run.errors.contains("rally serve --streets"))
      let embedded = try await Home().rally("map", "add", "--from-server", "--yes")
      #expect(embedded.status == .exited(2))
      #expect(embedded.errors.contains("The embedded server offers no streets."))
      let both = try await Home().rally("map", "add", "x.pmtiles", "--from-server")
      #expect(both.status == .exited(2))
    }

    @Test(
      arguments: [
        ("monaco.mbtiles", "Only PMTiles can be offered"), ("nothing.pmtiles", "no such file"),
      ])
    func `only an archive of which parts can be fetched is offered`(
      file: String, reason: String
    ) async throws {
      let home = try Home()
      let run = try await home.rally("serve", "--port", "0", "--streets", Self.path(file))
      #expect(run.status != .exited(0))
      #expect(run.errors.lowercased().contains(reason.lowercased()), "\(run)")
    }

    // MARK: Places by name

    @Test func `a street is a place wherever one is asked for`() async throws {
      let home = try Home()
      try await home.signUp("ana")
      try await home.must("map", "add", Self.path("monaco.pmtiles"))
      let set = try await home.must("location", "set", "Rue Grimaldi")
      #expect(set.errors.contains("You are at Rue Grimaldi, Monaco"))
      let map = try await home.must("map", "--at", "Rue Grimaldi", "--size", "120x40")
      #expect(map.output.contains("Rue Grimaldi"))
      try await home.must("missions", "new", "--title", "Lanterns", "--at", "Avenue de la Costa")
      let near = try await home.must("missions", "list", "--near", "Rue Grimaldi", "--radius", "2")
      #expect(near.output.contains("Lanterns"))
      let unknown = try await home.rally("map", "--at", "Rue de Rien")
      #expect(unknown.status == .exited(2))
      #expect(unknown.errors.contains("No place called Rue de Rien is known."))
    }
  }
}
