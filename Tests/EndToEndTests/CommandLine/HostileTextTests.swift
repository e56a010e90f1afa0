import Foundation
import RallyMap
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyRules
@testable import RallyServer
@testable import RallyStorage
@testable import RallyStreets

extension EndToEnd {
  /// Text that got into a server's storage before it was limited, or that a server makes up, and
  /// what the verbs print of it.
  @Suite struct HostileTextTests {
    private struct World {
      var server: TestServer
      var folder: TemporaryFolder
      var ana: Home
      var ben: Home
      /// Missions of ben's.
      var missions: [String] = []
      /// A mission of ana's.
      var own = ""
      /// The code of an invitation by ben to his first mission.
      var code = ""
      /// A file of missions with hostile text.
      var file: String { folder.file("missions.geojson") }
      /// An archive of streets that describes itself with hostile text.
      var archive: String { folder.file("hostile.pmtiles") }
    }

    /// Ana and ben in twelve missions of ben's, with all text of everybody as long as can be.
    private func withWorld(_ body: (World) async throws -> Void) async throws {
      let folder = try TemporaryFolder()
      try await TestServer.with(configure: { $0.database = .folder(folder.file("server")) }) {
        server in
        let flags = ["--server", server.url, "--key", server.key]
        var world = World(
          server: server, folder: folder, ana: try Home(flags: flags), ben: try Home(flags: flags))
        try await world.ana.signUp("ana", displayName: "Ana")
        try await world.ben.signUp("ben", displayName: "Ben")
        let cleo = try Home(flags: flags)
        try await cleo.signUp("cleo", displayName: "Cleo")
        try await cleo.must("friends", "add", "ana")
        try await world.ana.must("friends", "add", "ben")
        try await world.ben.must("friends", "accept", "ana")
        try await world.ben.must("location", "set", "38.7223,-9.1393")
        try await world.ben.must("location", "share", "precise", "@ana")
        try await world.ben.must("friends", "locate", "ana")
        for number in 0..<12 {
          let run = try await world.ben.must(
            "missions", "new", "--title", "Mission \(number)", "--at", "38.7223,-9.1393",
            "--visibility",
            "friends", "--objective", "Blue door", "--json")
          world.missions.append(try #require(try run.json()["id"]?.string))
        }
        try await world.ana.must("missions", "join", world.missions[0])
        try await world.ben.must("missions", "say", world.missions[0], "hello")
        let made = try await world.ben.must(
          "invite", "create", "--mission", world.missions[0], "--json")
        world.code = try #require(try made.json()["code"]?.string)
        let own = try await world.ana.must(
          "missions", "new", "--title", "Own", "--at", "38.7223,-9.1393", "--json")
        world.own = try #require(try own.json()["id"]?.string)
        let place: JSONValue = [
          "type": "Feature", "properties": ["title": .string(HostileText.text(accents: 2000))],
          "geometry": ["type": "Point", "coordinates": [.number(-9.1), .number(38.7)]],
        ]
        try WireJSON.encode(place).write(to: URL(filePath: world.file))
        try writeArchive(to: world.archive)
        try await world.ana.must("location", "phone", "add", "owntracks", "--name", "Old")
        try await world.ana.must(
          "ssh-key", "add", "-", "--name", "Old",
          input:
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFz18XdlViIt7hcw+JFWLr8f6pPENf8eXH5o+QycijfP")
        try await spoil(folder.file("server"))
        try await body(world)
      }
    }

    /// Puts hostile text into every column that people fill in, past every rule.
    private func spoil(_ folder: String) async throws {
      let storage = Storage(try SQLiteEngine(path: folder + "/rally.db", isShared: true))
      let text = HostileText.text(accents: 20_000)
      // An address was never longer than 254 bytes.
      let short = HostileText.text(accents: TextLimits.marks)
      try await storage.write { database in
        for (table, columns) in [
          ("profiles", ["display_name", "bio"]), ("missions", ["title", "brief"]),
          ("objectives", ["title"]), ("mission_activity", ["text"]), ("locations", ["source"]),
          ("users", ["email"]), ("phones", ["name", "problem"]),
          ("ssh_keys", ["name", "type"]),
        ] {
          for column in columns {
            try database.execute(
              sql: "UPDATE \(table) SET \(column) = \(column) || ? WHERE \(column) IS NOT NULL",
              arguments: [column == "email" ? short : text])
          }
        }
      }
      try storage.close()
    }

    /// An archive of one tile.
    private func writeArchive(to path: String) throws {
      let text = HostileText.text(accents: 20_000)
      let metadata: JSONValue = [
        "name": .string(text), "attribution": .string(text),
        "vector_layers": [["id": .string(text)]],
      ]
      let writer = try PMTilesWriter(
        path: path, bounds: .world, metadata: Array(WireJSON.encode(metadata)), isPacked: false)
      try writer.add(#require(TileAddress(zoom: 0, x: 0, y: 0)), MapAddTests.road)
      try writer.finish()
    }

    private func expectClean(_ run: CommandRun) {
      // The lines of iCalendar end so: RFC 5545 section 3.1.
      let isCalendar = run.output.hasPrefix("BEGIN:VCALENDAR\r\n")
      let output = isCalendar ? run.output.replacing("\r\n", with: "\n") : run.output
      for text in [output, run.errors] {
        #expect(HostileText.forbidden(in: text) == [], "\(run.command)")
        #expect(HostileText.marks(in: text) <= TextLimits.marks, "\(run.command)")
      }
    }

    /// The verbs that print nothing that people wrote into a server.
    private static let excluded: Set = [
      "signup", "login", "demo", "keys", "notify", "config sample", "config check",
      "config path", "config dump", "config edit", "config set", "config unset", "completions",
      "manual", "serve budgets",
      "serve restore", "serve move", "serve rotate-secret", "serve health", "serve ssh setup",
      "location replay", "open", "ssh-key add", "ssh-keys", "ssh-session", "account delete",
      "location link make",
    ]

    /// Each verb with its arguments, in an order in which most of them have something to do.
    private static func verbs(_ world: World) -> [[String]] {
      let (mission, own) = (world.missions[0], world.own)
      let data = ["--data", world.folder.file("server")]
      return [
        ["whoami"], ["friends", "list"], ["friends", "requests"], ["friends", "search", "ben"],
        ["friends", "add", "ben"], ["friends", "cancel", "ben"], ["friends", "accept", "cleo"],
        ["friends", "decline", "cleo"], ["tell", "add", "ben", "near"], ["tell", "list"],
        ["tell", "remove", "1"], ["where"], ["where", "ben"], ["friends", "locate", "ben"],
        ["friends", "asks"], ["friends", "answer", "ben"], ["location", "show"],
        ["location", "set", "Porto"], ["location", "share", "city", "@ben"],
        ["location", "show", "--as", "ben"], ["location", "ghost", "on"],
        ["location", "ghost", "off"], ["location", "phone", "add", "overland", "--name", "Px"],
        ["location", "phone", "list"], ["location", "phone", "revoke", "Px"],
        ["location", "link", "list"], ["location", "link", "end"],
        ["location", "zone", "add", "home", "--at", "1,1"], ["location", "zone", "list"],
        ["location", "zone", "keep", "--with-account"], ["location", "zone", "remove", "home"],
        ["location", "hours", "add", "work", "0-24"], ["location", "hours", "list"],
        ["location", "hours", "remove", "work"],
        ["map", "show", "--size", "60x20"],
        ["map", "add", world.archive, "--name", "hostile"], ["map", "list"],
        ["map", "info", "hostile"], ["map", "info", world.archive],
        ["map", "remove", "hostile"], ["missions", "list"],
        ["missions", "show", mission], ["missions", "card", mission],
        ["missions", "card", mission, "--svg"],
        ["missions", "new", "--title", "A", "--at", "Porto"],
        ["missions", "join", mission], ["missions", "check-in", mission],
        ["missions", "say", mission, "hello"], ["missions", "invite", own, "ben"],
        ["missions", "omw", mission, "--yes"], ["missions", "coming", mission],
        ["missions", "omw", mission, "--end"], ["missions", "locate", mission],
        ["missions", "export"], ["missions", "import", world.file], ["feed"],
        ["missions", "calendar"], ["missions", "calendar", "--address"],
        ["missions", "calendar", "--revoke"], ["missions", "edit", own, "--radius", "300"],
        ["missions", "skip", own],
        ["ssh-key", "list"], ["ssh-key", "remove", "Old"],
        ["invite", "create", "--mission", mission], ["invite", "list"],
        ["invite", "show", world.code], ["status"], ["missions", "leave", mission],
        ["invite", "accept", world.code], ["invite", "revoke", world.code],
        ["missions", "complete", own], ["missions", "cancel", own], ["doctor", "--no-query"],
        ["friends", "block", "cleo"], ["friends", "blocked"], ["friends", "unblock", "cleo"],
        ["friends", "remove", "ben"], ["logout"],
        ["serve", "invite"] + data, ["serve", "users", "list"] + data,
        ["serve", "users", "disable", "ben"] + data,
        ["serve", "users", "enable", "ben"] + data,
        ["serve", "users", "reset-password", "ben"] + data,
        ["serve", "users", "delete", "cleo", "--yes"] + data, ["serve", "audit"] + data,
        ["serve", "check"] + data,
        ["serve", "backup", world.folder.file("copy"), "--force"] + data,
      ]
    }

    /// The names of all verbs, as the program's own parser lists them.
    private static func names(_ command: JSONValue, below path: [String] = []) -> [String] {
      let children = (command["subcommands"]?.array ?? [])
        .filter { $0["commandName"]?.string != "help" }
      guard !children.isEmpty else { return [path.joined(separator: " ")] }
      return children.flatMap { names($0, below: path + [$0["commandName"]?.string ?? ""]) }
    }

    @Test func `every verb that prints what others wrote prints it clean and short`() async throws {
      try await withWorld { world in
        let verbs = Self.verbs(world)
        let tree = try await world.ana.must("--experimental-dump-help").json()
        for name in Self.names(try #require(tree["command"])) where !Self.excluded.contains(name) {
          #expect(
            verbs.contains { $0.starts(with: name.split(separator: " ").map(String.init)) },
            "no call of \(name)")
        }
        for verb in verbs {
          let isOperator = verb[0] == "serve"
          for mode in [[], ["--plain"], ["--json"]] {
            let run = try await CommandRun.of(
              RallyBinary.required(), verb + mode + (isOperator ? [] : world.ana.flags),
              environment: world.ana.environment)
            expectClean(run)
            #expect(run.output.utf8.count < 200_000, "\(run.command)")
            if mode == ["--json"], !run.output.isEmpty {
              #expect(throws: Never.self, "\(run)") { try run.json() }
            }
            if verb.starts(with: ["serve", "users", "list"]) {
              #expect(run.succeeded, "\(run)")
              #expect(run.output.contains(#"\u009B"#), "addresses are told exactly")
            }
          }
        }
      }
    }

    @Test func `twelve missions of megabytes cost neither the list nor the feed`() async throws {
      try await withWorld { world in
        for id in world.missions.dropFirst() { try await world.ana.must("missions", "join", id) }
        let list = try await world.ana.must("missions", "list", "--json")
        let rows = try #require(try list.json().array)
        #expect(Set(rows.compactMap { $0["id"]?.string }) == Set(world.missions + [world.own]))
        let feed = try await world.ana.must("feed", "--limit", "100", "--json")
        #expect(try feed.json().array?.contains { $0["kind"] == "said" } == true)
      }
    }

    @Test(arguments: [
      ["--\u{1B}]0;owned\u{7}\u{9B}31m"], ["\u{1B}[2J\u{202E}frobnicate"],
      ["friends", "add", "a\u{9B}31m\u{2028}b"], ["missions", "show", "\u{1B}[31mx"],
      ["map", "--at", "\u{1B}]0;x\u{7}"],
      ["map", "add", "/nowhere/\u{1B}[31m.pmtiles"], ["map", "info", "\u{9B}31m"],
      ["map", "remove", "\u{202E}x"], ["missions", "import", "/nowhere/\u{1B}[31m.gpx"],
      ["serve", "users", "delete", "\u{1B}[31m", "--yes"], ["--color", "\u{1B}[31m\u{202E}"],
    ])
    func `arguments are echoed clean`(arguments: [String]) async throws {
      let home = try Home()
      let run = try await CommandRun.of(
        RallyBinary.required(), arguments, environment: home.environment)
      #expect(run.status != .exited(0))
      #expect(!run.errors.isEmpty)
      expectClean(run)
    }
  }
}
