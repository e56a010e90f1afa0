import Foundation
import RallyMap
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyStreets

extension EndToEnd {
  /// `rally map add CITY` against a web server that behaves as that of Protomaps' builds.
  @Suite struct MapAddCityTests {
    private static let old = Self.build("20260101", "4.1.0")
    private static let new = Self.build("20260201", "4.2.0")
    private static let future = Self.build("20260301", "5.0.0")

    private static func build(_ day: String, _ version: String) -> String {
      #"{"key":"\#(day).pmtiles","size":9,"uploaded":"\#(day)","version":"\#(version)"}"#
    }

    private static func list(_ builds: String...) -> String {
      "[\(builds.joined(separator: ","))]"
    }

    private func monaco() throws -> [UInt8] {
      Array(try Data(contentsOf: URL(filePath: MapAddTests.path("monaco.pmtiles"))))
    }

    /// A home whose streets come from a server's list of builds.
    private func home(_ source: String, _ more: String = "") throws -> Home {
      try configured(Home(), source, more)
    }

    /// The same home with a configuration beside its other files, which lives as long as they do.
    private func configured(_ home: Home, _ source: String, _ more: String = "") throws -> Home {
      let file = home.folder.file("rally.toml")
      try "[map]\nsource = \"\(source)\"\n\(more)".write(
        toFile: file, atomically: true, encoding: .utf8)
      var configured = home
      configured.flags += ["--config", file]
      return configured
    }

    private func folder(_ home: Home) -> StreetFolder {
      StreetFolder(path: home.folder.file("data/rally/streets"))
    }

    @Test func `a city is taken from the newest build that can be read`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change { $0.builds = Self.list(Self.old, Self.future, Self.new) }
        let home = try home(server.buildsURL)
        let added = try await home.must("map", "add", "Monaco", "--yes")
        #expect(
          added.errors.contains(
            "Streets of Monaco, Monaco, 10 km around: about 19.2 MB from 127.0.0.1. It learns this"
              + " machine's address and that you take Monaco."))
        #expect(added.errors.contains("23 tiles, 192 kB to fetch."))
        #expect(added.errors.contains("Added monaco: 23 tiles"))
        #expect(Set(server.asked) == ["builds.json", "20260201.pmtiles"])
        #expect(server.asked.first == "builds.json")
        #expect(
          try await home.must("map", "list", "--json").json().array?.first?["name"] == "monaco")
      }
    }

    @Test func `nobody is asked before it was said what they learn`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change { $0.builds = Self.list(Self.new) }
        let home = try home(server.buildsURL)
        let run = try await home.rally("map", "add", "Monaco")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("It learns this machine's address"))
        #expect(run.errors.contains("--yes"))
        #expect(server.requests == 0)
        #expect(folder(home).entries().isEmpty)
      }
    }

    @Test func `a build that is listed and deleted gives way to the one before`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change {
          $0.builds = Self.list(Self.old, Self.new)
          $0.deleted = ["20260201.pmtiles": 0]
        }
        let home = try home(server.buildsURL)
        try await home.must("map", "add", "Monaco", "--yes")
        #expect(server.asked.last == "20260101.pmtiles")
        server.change {
          $0.builds = Self.list(Self.old, Self.new)
          $0.deleted = ["20260201.pmtiles": 0, "20260101.pmtiles": 0]
        }
        let gone = try await home.rally("map", "add", "Monaco", "--yes", "--name", "other")
        #expect(gone.status == .exited(1))
        #expect(gone.errors.contains("127.0.0.1 has deleted the map builds that it lists."))
      }
    }

    @Test func `a build that is deleted in the middle gives way to the one before`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change {
          $0.builds = Self.list(Self.old, Self.new)
          // Its directories are read by then, its tiles are not.
          $0.deleted = ["20260201.pmtiles": 900]
        }
        let home = try home(server.buildsURL)
        let added = try await home.must("map", "add", "Monaco", "--yes")
        #expect(added.errors.contains("That build was deleted meanwhile. The newest one is taken."))
        #expect(added.errors.contains("Added monaco: 23 tiles"))
        #expect(server.asked.last == "20260101.pmtiles")
      }
    }

    @Test func `the interface fetches a city after the question, and the map draws it`()
      async throws
    {
      // What the group's server offers is not all of the city.
      let served = try await ServedRally("--streets", MapAddTests.path("monaco.pmtiles"))
      try await RangeServer.with(monaco()) { server in
        server.change { $0.builds = Self.list(Self.new) }
        let home = try configured(await served.home("ana"), server.buildsURL)
        let session = try await home.open()
        try await session.waitUntilLive()
        session.send(":streets Monaco\r")
        try await session.waitFor(
          "Fetch the streets of Monaco?", "127.0.0.1", "It learns this machine's address")
        #expect(server.requests == 0)
        session.send("y")
        try await session.waitFor("Added the streets of Monaco: 23 tiles")
        session.send("1/43.7357,7.4198\r")
        try await session.waitFor("© OpenStreetMap")
        session.send("q")
        #expect(try await session.waitForExit() == .exited(0))
        #expect(session.leftBehind == [])
      }
    }

    @Test func `what was begun goes on from the same build while it is there`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change {
          $0.builds = Self.list(Self.old)
          $0.cut = 100_000
        }
        let home = try home(server.buildsURL)
        let cut = try await home.rally("map", "add", "Monaco", "--yes")
        #expect(cut.status == .exited(4), "\(cut)")
        #expect(folder(home).names.isEmpty)
        server.change { $0.builds = Self.list(Self.old, Self.new) }
        try await home.must("map", "add", "Monaco", "--yes")
        #expect(!server.asked.contains("20260201.pmtiles"))
        #expect(server.asked.contains("20260101.pmtiles"))
      }
    }

    @Test func `a source that is of no use is told with what to do`() async throws {
      try await RangeServer.with(monaco()) { server in
        let home = try home(server.buildsURL)
        server.change { $0.builds = Self.list(Self.future) }
        let future = try await home.rally("map", "add", "Monaco", "--yes")
        #expect(future.status == .exited(1))
        #expect(future.errors.contains("It reads version 4; there is 5."))
        server.change {
          $0.status = 429
          $0.retryAfter = "30"
        }
        let busy = try await home.rally("map", "add", "Monaco", "--yes")
        #expect(busy.status == .exited(5))
        #expect(
          busy.errors.contains("127.0.0.1 asks to wait. Too many requests. Try again in 30 s."))
        server.change { $0.builds = "<html>" }
        let portal = try await home.rally("map", "add", "Monaco", "--yes")
        #expect(portal.status == .exited(1))
        #expect(portal.errors.contains("127.0.0.1 sent no list of map builds."))
        #expect(folder(home).entries().isEmpty)
      }
    }

    @Test func `another source is an archive at an address, a file, or none`() async throws {
      try await RangeServer.with(monaco()) { server in
        let address = try home(server.url)
        try await address.must("map", "add", "Monaco", "--yes")
        #expect(folder(address).names.map(\.description) == ["monaco"])
      }
      let file = try home(MapAddTests.path("monaco.pmtiles"))
      try await file.must("map", "add", "Monaco", "--name", "here", "--radius", "1km")
      #expect(folder(file).names.map(\.description) == ["here"])
      let none = try await home("").rally("map", "add", "Monaco", "--yes")
      #expect(none.status == .exited(1))
      #expect(none.errors.contains("No source of streets is set"))
    }

    @Test func `who saves data is not made to fetch a city`() async throws {
      try await RangeServer.with(monaco()) { server in
        server.change { $0.builds = Self.list(Self.new) }
        let home = try home(server.buildsURL, "[policy]\nlow_data = \"on\"")
        let run = try await home.rally("map", "add", "Monaco", "--yes")
        #expect(run.status == .exited(1))
        #expect(run.errors.contains("You save data"))
        #expect(server.requests == 0)
        try await home.must("map", "add", "Monaco", "--yes", "--anyway")
      }
    }

    @Test func `a name that is only the beginning of others is offered, not taken`() async throws {
      let run = try await home("").rally("map", "add", "Lisb", "--yes")
      #expect(run.status == .exited(2))
      #expect(run.errors.contains("Lisbon, Portugal"))
      #expect(run.errors.contains("--first"))
    }

    @Test func `the group's own server comes first where it has the whole area`() async throws {
      let served = try await ServedRally("--streets", MapAddTests.path("monaco.pmtiles"))
      try await RangeServer.with(monaco()) { server in
        server.change { $0.builds = Self.list(Self.new) }
        let home = try configured(await served.home("ana"), server.buildsURL)
        // Half a kilometre around the middle is within what it offers; ten are not.
        let near = try await home.must("map", "add", "Monaco", "--yes", "--radius", "500m")
        #expect(near.errors.contains("Your group's server offers them."))
        #expect(server.requests == 0)
        try await home.must("map", "add", "Monaco", "--yes", "--name", "wide")
        #expect(server.requests > 0)
      }
    }
  }
}
