import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// What says where a machine is, from a real gpsd to the friend's list.
  @Suite struct LocationSourceTests {
    private static let walk = URL(filePath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "RallyDomainTests/Sharing/GPSD/walk.nmea").path

    @Test func `where says what each source says, and the doctor without a position`() async throws
    {
      let home = try Home()
      let gpsd = try await GPSDServer(Self.walk)
      let variable = ["RALLY_GPSD": "127.0.0.1:\(gpsd.port)"]
      let report = try await home.rally("where", "--sources", "--json", adding: variable).json()
      let row = try #require(report["sources"]?.array?.first { $0["source"] == "gpsd" })
      #expect(row["taken"] == .bool(true))
      #expect(row["state"] == "running")
      #expect(row["reason"] == "the first source with a fresh fix")
      #expect(try #require(row["latitude"]?.asNumber).rounded() == 51)
      #expect(report["here"]?["source"] == "gpsd")
      let text = try await home.rally("where", "--sources", adding: variable)
      #expect(text.output.hasPrefix("*  gpsd"))
      let doctor = try await home.rally("doctor", "--no-query", "--json", adding: variable)
      let location = try #require(try doctor.json()["location"]?.array)
      #expect(location.contains { $0["source"] == "gpsd" && $0["state"] == "running" })
      #expect(location.allSatisfy { $0["latitude"] == nil })
      #expect(!doctor.output.contains("51.0"))
      try await gpsd.end()
      let gone = try await home.rally("where", "--sources", adding: variable)
      #expect(gone.output.contains("unavailable: nothing answers at 127.0.0.1:\(gpsd.port)"))
    }

    @Test func `a real GeoClue says where the machine is, if it may be asked`() async throws {
      let home = try Home()
      let geoClue = try await GeoClueServer()
      geoClue.startAgent()
      let bus = ["DBUS_SYSTEM_BUS_ADDRESS": geoClue.bus.address]
      let on = bus.merging(["RALLY_GEOCLUE": "on"]) { $1 }
      let report = try await home.rally("where", "--sources", "--json", adding: on).json()
      let row = try #require(report["sources"]?.array?.first { $0["source"] == "geoclue" })
      #expect(row["taken"] == .bool(true))
      #expect(row["state"] == "running")
      #expect(try #require(row["latitude"]?.asNumber).rounded() == 51)
      #expect(report["here"]?["source"] == "geoclue")
      let doctor = try await home.rally("doctor", "--no-query", "--json", adding: on)
      let location = try #require(try doctor.json()["location"]?.array)
      #expect(location.contains { $0["source"] == "geoclue" && $0["state"] == "running" })
      #expect(!doctor.output.contains("51.0"))
      // Nobody sits at a desktop here.
      #expect(try await !home.rally("where", "--sources", adding: bus).output.contains("geoclue"))
      let wrong = try await home.rally("where", "--sources", adding: ["RALLY_GEOCLUE": "maybe"])
      #expect(wrong.status == .exited(2))
      #expect(wrong.errors.contains("RALLY_GEOCLUE has an unknown value."))
    }

    @Test func `an address that is none is refused, in the environment and the configuration`()
      async throws
    {
      let home = try Home()
      let run = try await home.rally("where", "--sources", adding: ["RALLY_GPSD": "a b"])
      #expect(run.status == .exited(2))
      #expect(run.errors.contains("RALLY_GPSD is not an address."))
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[location]\ngpsd = \"a b\"\n".write(
        toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
      #expect(try await home.rally("config", "check").output.contains("Write gpsd as text"))
    }

    @Test func `a wrong variable stops no verb that measures nothing, and the doctor names it`()
      async throws
    {
      let home = try Home()
      let wrong = ["RALLY_GEOCLUE": "perhaps"]
      let friends = try await home.rally("friends", "list", adding: wrong)
      #expect(friends.status == .exited(3))
      let doctor = try await home.rally("doctor", "--no-query", "--json", adding: wrong).json()
      #expect(
        doctor["configuration_problems"]
          == ["environment: RALLY_GEOCLUE has an unknown value. Set it to auto, on or off."])
    }

    @Test func `a place holds for the time that is said, and auto ends it`() async throws {
      let ana = try await ServedRally().home("ana")
      func manual() async throws -> JSONValue? {
        try await ana.must("where", "--sources", "--json").json()["sources"]?.array?
          .first { $0["source"] == "manual" }
      }
      let said = try await ana.must("location", "set", "Lisbon", "--for", "2h")
      #expect(said.errors.contains("You are at Lisbon"))
      #expect(said.errors.contains(#/ until (tomorrow )?\d\d:\d\d, /#))
      #expect(try await manual()?["reason"] == "set by you for 2 hours more")
      try await ana.must("location", "set", "auto")
      #expect(try await manual()?["taken"] == .bool(false))
      #expect(try await manual()?["reason"]?.string?.hasPrefix("its time ended") == true)
      #expect(try await ana.rally("location", "set", "Lisbon", "--for", "2y").status == .exited(2))
    }

    @Test func `a track is replayed to a friend, and no position is printed or logged`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      try await served.befriend(ana, bob, named: ("ana", "bob"))
      let points = (0..<20).map { "<trkpt lat=\"\(38.7 + Double($0) * 0.005)\" lon=\"-9.1393\"/>" }
      let file = ana.folder.file("walk.gpx")
      try "<gpx version=\"1.1\"><trk><trkseg>\(points.joined())</trkseg></trk></gpx>".write(
        toFile: file, atomically: true, encoding: .utf8)
      let refused = try await ana.rally("location", "replay", file, "--speed", "1000")
      #expect(refused.status == .exited(5))
      #expect(refused.errors.contains("Nobody sees where you are"))
      try await ana.must("location", "share", "area", "bob")
      let run = try await ana.must("location", "replay", file, "--speed", "1000")
      #expect(run.errors.contains("Replaying 20 points for 1 friend"))
      #expect(run.errors.contains("sent as"))
      #expect(!run.errors.contains("38.7") && !run.errors.contains("9.13"))
      #expect(run.output.isEmpty)
      let row = try #require(try await bob.must("where", "@ana", "--json").json().array?.first)
      // Coarse positions are announced later; some cell of the way is there at once.
      #expect((38.69...38.81).contains(try #require(row["latitude"]?.asNumber)))
    }
  }
}
