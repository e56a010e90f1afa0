import Foundation
import Glibc
import RallyStorage
import RallyTestSupport
import RallyWatch
import RallyWire
import Testing

extension EndToEnd {
  /// What a server has of a link to watch: nothing of where somebody is.
  @Suite struct WatchSecrecyTests {
    /// A place as text, as binary numbers, and as the numbers of its cells.
    static func needles(_ place: Coordinate) -> [(what: String, bytes: Data)] {
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

    /// Where a place would be: log, data folder and memory of a server.
    static func data(of served: ServedRally) throws -> [(name: String, data: Data)] {
      var found = [(name: "log", data: Data(served.command.snapshot.errorText.utf8))]
      found += try files(below: served.folder.file("server"))
      for process in try family(of: served.command.processID) {
        for data in try memory(of: process) { found.append(("memory", data)) }
      }
      return found
    }

    private static func files(below folder: String) throws -> [(name: String, data: Data)] {
      // Some are gone before they are read.
      let names = try #require(FileManager.default.enumerator(atPath: folder))
      return names.compactMap { $0 as? String }.compactMap { name in
        FileManager.default.contents(atPath: "\(folder)/\(name)").map { (name, $0) }
      }
    }

    /// A precise and a coarse link of Ana, who is there, with the message that the server has of each.
    private func feed(
      _ place: Coordinate, on served: ServedRally
    ) async throws -> (feeds: [RunningCommand], sealed: [String]) {
      let ana = try served.stranger()
      try await ana.must(
        "signup", "--username", "ana", "--display-name", "Ana", "--invitation",
        served.firstLink(), "--password-stdin", input: Home.password + "\n")
      try await ana.must("location", "set", "\(place.latitude),\(place.longitude)")
      var (feeds, sealed): ([RunningCommand], [String]) = ([], [])
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
        sealed.append(message.sealed)
      }
      return (feeds, sealed)
    }

    static func has(_ data: Data, _ bytes: Data) -> Bool {
      data.withUnsafeBytes { data in
        bytes.withUnsafeBytes { bytes in
          guard let wanted = bytes.baseAddress, var place = data.baseAddress else { return false }
          let end = place + data.count
          while end - place >= bytes.count,
            let found = memchr(place, Int32(bytes[0]), end - place - bytes.count + 1)
          {
            if memcmp(found, wanted, bytes.count) == 0 { return true }
            place = UnsafeRawPointer(found) + 1
          }
          return false
        }
      }
    }

    private func expectNothing(of place: Coordinate, in data: [(name: String, data: Data)]) {
      for (what, bytes) in Self.needles(place) {
        for (name, data) in data where Self.has(data, bytes) {
          Issue.record("\(what) is in the \(name)")
        }
      }
    }

    @Test func `no place of a link is in database, log, backup or the server's memory`()
      async throws
    {
      let served = try await ServedRally(securelyWith: try await TestAuthority())
      let place = try #require(Coordinate(latitude: 38.7136247, longitude: -9.1383519))
      let (feeds, sealed) = try await feed(place, on: served)
      defer { for feed in feeds { feed.signal(SIGKILL) } }
      let backup = served.folder.file("copy.rally")
      let run = try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "backup", backup, "--data", served.folder.file("server")],
        environment: served.folder.environment)
      #expect(run.succeeded, "\(run)")
      let copy = try #require(FileManager.default.contents(atPath: backup))
      let data = try Self.data(of: served) + [("backup", copy)]
      for sealed in sealed {
        let names = data.filter { Self.has($0.data, Data(sealed.utf8)) }
          .map(\.name)
        #expect(names.contains { $0.hasPrefix("rally.db") } && names.contains("backup"))
      }
      expectNothing(of: place, in: data)
    }

    /// Two servers, which tell each other by relays and notifications what is new.
    @Test func `nor is it in PostgreSQL, its log of writes, relays and notifications`() async throws
    {
      let postgres = try PostgresFixture.shared.get()
      let address = try postgres.database().description
      let authority = try await TestAuthority()
      let served = try await ServedRally(
        securelyWith: authority, "--database", address, "--encryption-key",
        authority.folder.file("shared.key"))
      let other = try await ServedRally(
        securelyWith: authority, "--database", address, "--encryption-key",
        authority.folder.file("shared.key"))
      // Where no other test of this process has anybody.
      let place = try #require(Coordinate(latitude: 62.0107243, longitude: -6.7741385))
      let (feeds, sealed) = try await feed(place, on: served)
      defer { for feed in feeds { feed.signal(SIGKILL) } }
      try postgres.execute("CHECKPOINT")
      let data =
        try Self.files(below: postgres.folder) + Self.data(of: served) + Self.data(of: other)
      for sealed in sealed {
        // The end of a page of the log may lie within a message.
        let ends = [sealed.prefix(sealed.count / 2), sealed.suffix(sealed.count / 2)]
        let names = data.filter { file in
          ends.contains { Self.has(file.data, Data($0.utf8)) }
        }.map(\.name)
        #expect(
          names.contains { $0.contains("pg_wal/") } && names.contains { $0.contains("base/") })
      }
      expectNothing(of: place, in: data)
    }
  }
}
