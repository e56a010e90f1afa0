import Foundation
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyServer

extension EndToEnd {
  /// Text that got into a server's storage before it was limited, or that a server makes up, and
  /// what the verbs print of it.
  @Suite struct HostileTextTests {
    private struct World {
      var server: TestServer
      var folder: TemporaryFolder
      var ana: Home
      var ben: Home
      var missions: [String] = []
      /// Of an invitation of ben's to the first mission.
      var code = ""
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
        try await world.ana.must("friends", "add", "ben")
        try await world.ben.must("friends", "accept", "ana")
        try await world.ben.must("location", "set", "38.7223,-9.1393")
        try await world.ben.must("location", "share", "precise", "@ana")
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
        try await spoil(folder.file("server"))
        try await body(world)
      }
    }

    /// Puts hostile text into every column that people fill in, past every rule.
    private func spoil(_ folder: String) async throws {
      let storage = Storage(try SQLiteEngine(path: folder + "/rally.db", isShared: true))
      let text = HostileText.text(accents: 20_000)
      try await storage.write { database in
        for (table, columns) in [
          ("profiles", ["display_name", "bio"]), ("missions", ["title", "brief"]),
          ("objectives", ["title"]), ("mission_activity", ["text"]), ("locations", ["source"]),
          ("users", ["email"]),
        ] {
          for column in columns {
            try database.execute(
              sql: "UPDATE \(table) SET \(column) = \(column) || ? WHERE \(column) IS NOT NULL",
              arguments: [text])
          }
        }
      }
      try storage.close()
    }

    private func expectClean(_ run: CommandRun) {
      for text in [run.output, run.errors] {
        #expect(HostileText.forbidden(in: text) == [], "\(run.command)")
        #expect(HostileText.marks(in: text) <= TextLimits.marks, "\(run.command)")
      }
    }

    @Test func `every verb that prints what others wrote prints it clean and short`() async throws {
      try await withWorld { world in
        let mission = world.missions[0]
        let verbs: [[String]] = [
          ["whoami"], ["friends", "list"], ["friends", "requests"], ["friends", "search", "ben"],
          ["friends", "blocked"], ["where"], ["location", "show"], ["map", "--size", "60x20"],
          ["missions", "list"], ["missions", "show", mission], ["missions", "export"], ["feed"],
          ["missions", "say", mission, "hello"], ["invite", "show", world.code],
          ["invite", "list"],
          ["invite", "create", "--mission", mission], ["doctor", "--no-query"],
          ["missions", "leave", mission], ["invite", "accept", world.code],
        ]
        for verb in verbs {
          for mode in [[], ["--plain"], ["--json"]] {
            let run = try await CommandRun.of(
              RallyBinary.required(), verb + mode + world.ana.flags,
              environment: world.ana.environment)
            expectClean(run)
            #expect(run.output.utf8.count < 200_000, "\(run.command)")
            if mode == ["--json"], !run.output.isEmpty {
              #expect(throws: Never.self, "\(run)") { try run.json() }
            }
          }
        }
        for mode in [[], ["--json"]] {
          let users = try await CommandRun.of(
            RallyBinary.required(),
            ["serve", "users", "list", "--data", world.folder.file("server")] + mode,
            environment: world.ana.environment)
          #expect(users.succeeded, "\(users)")
          #expect(users.output.contains(#"\u009B"#), "addresses are told exactly")
          #expect(HostileText.forbidden(in: users.output) == [])
        }
      }
    }

    @Test func `twelve missions of megabytes cost neither the list nor the feed`() async throws {
      try await withWorld { world in
        for id in world.missions.dropFirst() { try await world.ana.must("missions", "join", id) }
        let list = try await world.ana.must("missions", "list", "--json")
        let rows = try #require(try list.json().array)
        #expect(Set(rows.compactMap { $0["id"]?.string }) == Set(world.missions))
        let feed = try await world.ana.must("feed", "--limit", "100", "--json")
        #expect(try feed.json().array?.contains { $0["kind"] == "said" } == true)
      }
    }

    @Test(arguments: [
      ["--\u{1B}]0;owned\u{7}\u{9B}31m"], ["\u{1B}[2J\u{202E}frobnicate"],
      ["friends", "add", "a\u{9B}31m\u{2028}b"], ["missions", "show", "\u{1B}[31mx"],
      ["map", "--at", "\u{1B}]0;x\u{7}"], ["missions", "import", "/nowhere/\u{1B}[31m.gpx"],
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
