import Foundation
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

extension EndToEnd {
  /// What a server has of a link to watch: nothing of where somebody is.
  @Suite struct WatchSecrecyTests {
    /// A place as text, as binary numbers, and as the numbers of its cells.
    private static func needles(_ place: Coordinate) -> [(what: String, bytes: Data)] {
      func binary(_ values: [some Any]) -> Data {
        values.reduce(into: Data()) { data, value in
          withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
        }
      }
      var needles: [(String, Data)] = [
        ("latitude as text", Data("\(place.latitude)".utf8)),
        ("longitude as text", Data("\(place.longitude)".utf8)),
        ("latitude as a number", binary([place.latitude])),
        ("longitude as a number", binary([place.longitude])),
        ("latitude in units", binary([place.latitudeUnits])),
        ("longitude in units", binary([place.longitudeUnits])),
      ]
      for level in GridLevel.allCases {
        let cell = GridCell(containing: place, level: level)
        needles += [
          ("cell \(level)", binary([cell.row, cell.column])),
          ("cell \(level) as text", Data("\(cell.row) \(cell.column)".utf8)),
          ("middle of \(level)", Data("\(cell.center.latitude)".utf8)),
          ("middle of \(level) as a number", binary([cell.center.latitude])),
        ]
      }
      return needles
    }

    /// The writable memory of a process.
    private static func memory(of process: pid_t) throws -> [Data] {
      let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
      let file = try #require(FileHandle(forReadingAtPath: "/proc/\(process)/mem"))
      defer { try? file.close() }
      return maps.split(separator: "\n").compactMap { line in
        let words = line.split(separator: " ")
        let bounds = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
        guard words[1].hasPrefix("rw"), bounds.count == 2, bounds[1] - bounds[0] < 1 << 28 else {
          return nil
        }
        try? file.seek(toOffset: bounds[0])
        return try? file.read(upToCount: Int(bounds[1] - bounds[0]))
      }
    }

    /// A process and its children.
    private static func family(of process: pid_t) throws -> [pid_t] {
      let others = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap {
        pid_t($0)
      }
      return [process]
        + others.filter { other in
          let stat = (try? String(contentsOfFile: "/proc/\(other)/stat", encoding: .utf8)) ?? ""
          // After the name, which may have blanks: the state, then the parent.
          return stat.split(separator: ")").last?.split(separator: " ").dropFirst().first
            .flatMap { pid_t($0) } == process
        }
    }

    @Test func `no place of a link is in database, log, backup or the server's memory`()
      async throws
    {
      let served = try await ServedRally(securelyWith: try await TestAuthority())
      let ana = try served.stranger()
      try await ana.must(
        "signup", "--username", "ana", "--display-name", "Ana", "--invitation",
        served.firstLink(), "--password-stdin", input: Home.password + "\n")
      let place = try #require(Coordinate(latitude: 38.7136247, longitude: -9.1383519))
      try await ana.must("location", "set", "\(place.latitude),\(place.longitude)")
      var feeds: [RunningCommand] = []
      defer { for feed in feeds { feed.signal(SIGKILL) } }
      for precision in ["precise", "area"] {
        let feed = try RunningCommand(
          RallyBinary.required(), ["location", "link", "--precision", precision] + ana.flags,
          environment: ana.environment)
        feeds.append(feed)
        let address = try await feed.firstLine()
        let fragment = try #require(address.split(separator: "#").last)
        let link = try #require(WatchAddress(fragment: fragment))
        // The message is there, and opens with the key: there is something to be found.
        let state = try await CommandRun.of(
          "/usr/bin/curl", ["-sk", "\(served.announcement.url)/w/\(link.id)"], environment: [:])
        let message = try #require(
          WireJSON.decode(WatchState.self, from: Data(state.output.utf8)).place)
        #expect(try WatchPlace(message, of: link)?.coordinate != nil)
      }
      let backup = served.folder.file("copy.rally")
      let run = try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "backup", backup, "--data", served.folder.file("server")],
        environment: served.folder.environment)
      #expect(run.succeeded, "\(run)")
      var places: [(name: String, data: Data)] = [
        ("log", Data(served.command.snapshot.errorText.utf8))
      ]
      let folder = served.folder.file("server")
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        if let data = FileManager.default.contents(atPath: "\(folder)/\(name)") {
          places.append((name, data))
        }
      }
      if let data = FileManager.default.contents(atPath: backup) { places.append(("backup", data)) }
      #expect(places.contains { $0.name == "rally.db" })
      for process in try Self.family(of: served.command.processID) {
        for data in try Self.memory(of: process) { places.append(("memory", data)) }
      }
      for (what, bytes) in Self.needles(place) {
        for (name, data) in places where data.range(of: bytes) != nil {
          Issue.record("\(what) is in the \(name)")
        }
      }
    }
  }
}
