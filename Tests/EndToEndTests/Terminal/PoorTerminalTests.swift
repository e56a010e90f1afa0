import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// Terminals and locales that lack what the interface is drawn with.
  @Suite struct PoorTerminalTests {
    private func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    @Test(arguments: [[], ["demo"]], ["dumb", nil])
    func `a terminal without a cursor is told what is missing, and what works`(
      verb: [String], type: String?
    ) async throws {
      let home = try Home()
      let start = type.map { ["TERM=\($0)"] } ?? ["-u", "TERM"]
      let session = try await PtySession(
        "/usr/bin/env", start + [RallyBinary.required()] + verb, environment: home.environment,
        rows: 24, columns: 200, keeping: home)
      #expect(try await session.waitForExit() == .exited(2))
      let text = session.screen.text
      #expect(text.contains(type.map { "“\($0)” cannot place its cursor" } ?? "TERM is not set"))
      #expect(text.contains("rally friends list --plain"))
      #expect(!text.contains("unexpected"))
      #expect(home.servers.isEmpty, "nothing was started")
    }

    @Test func `in a locale that is not UTF-8 the interface draws ASCII`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Ferrão")
      let ben = try await served.home("ben", displayName: "José 田中")
      try await served.befriend(ana, ben, named: ("ana", "ben"))
      let session = try await ana.open(adding: ["LC_ALL": "C"])
      let friends = try await session.waitFor("3 Friends", "Jose ? ?", "live")
      session.send("1")
      let map = try await session.waitFor("1 Map", "zoom")
      session.send("?")
      let help = try await session.waitUntil("the sheet of keys") { $0.contains("Keys") }
      session.send(.escape)
      try await session.waitForAbsence(of: "Keys of this screen")
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      for screen in [friends, map, help] { #expect(isASCII(screen.text), "\(screen.text)") }
    }

    @Test func `letters of a terminal in ISO 8859-1 are typed, and are arguments`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let locale = ["LC_ALL": "de_DE.ISO-8859-1"]
      let session = try await ana.open(adding: locale)
      // The bar is ASCII there.
      try await session.waitFor("3 Friends", "live")
      session.send("2c")
      try await session.waitFor("New mission", "Title")
      session.send([0x4B, 0xF6, 0x6C, 0x6E])
      // The screen has ASCII for it.
      try await session.waitFor("Title     Koln")
      session.end()

      let verb =
        "missions new --at 38.7,-9.1 --objective Door --json --title \"$(printf 'K\\366ln')\""
      func run(_ environment: [String: String]) async throws -> CommandRun {
        try await CommandRun.of(
          "/bin/sh",
          ["-c", "exec \"$@\" \(verb)", "sh", RallyBinary.required()] + ana.flags,
          environment: ana.environment.merging(environment) { $1 })
      }
      let made = try await run(locale)
      #expect(try made.json()["title"] == "Köln", "\(made)")
      let refused = try await run(["LC_ALL": "C.UTF-8"])
      #expect(refused.status == .exited(2))
      #expect(refused.errors.contains("is not UTF-8"), "\(refused)")
      #expect(refused.output.isEmpty)
    }

    @Test func `verbs print ASCII there, and their JSON stays as it is`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana Ferrão")
      let ben = try await served.home("ben", displayName: "José 田中")
      try await served.befriend(ana, ben, named: ("ana", "ben"))
      let list = try await ana.rally("friends", "list", adding: ["LC_ALL": "C"])
      #expect(list.output.contains("Jose ? ?"))
      for arguments in [
        ["friends", "list"], ["whoami"], ["doctor", "--no-query"], ["keys"], ["--help"],
        ["missions", "show", "nothing"], ["map", "--size", "60x20"],
      ] {
        let run = try await CommandRun.of(
          RallyBinary.required(), arguments + (arguments == ["--help"] ? [] : ana.flags),
          environment: ana.environment.merging(["LC_ALL": "C"]) { $1 })
        #expect(isASCII(run.output + run.errors), "\(run)")
      }
      let json = try await ana.rally("friends", "list", "--json", adding: ["LC_ALL": "C"])
      #expect(try json.json().array?.first?["display_name"] == "José 田中")
    }

    @Test(arguments: [
      ["doctor", "--no-query"], ["keys"], ["missions", "show", "nothing"], ["location", "show"],
      ["missions", "list"], ["where"], ["feed"], ["config", "check"], ["map", "--size", "60x20"],
    ])
    func `plain output has no marks of ours beyond ASCII`(verb: [String]) async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana", displayName: "Ana")
      try await ana.must("location", "set", "38.7223,-9.1393")
      try await ana.must(
        "missions", "new", "--title", "Lanterns", "--at", "38.7223,-9.1393", "--objective", "Door")
      for (flags, variables) in [(["--plain"], [:]), ([], ["RALLY_A11Y": "1"])] {
        let run = try await CommandRun.of(
          RallyBinary.required(), verb + flags + ana.flags,
          environment: ana.environment.merging(variables) { $1 })
        #expect(isASCII(run.output + run.errors), "\(run)")
      }
    }
  }
}
