import Foundation
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  /// What stands around the program: its device, its terminal, its log.
  @Suite struct SurroundingsTests {
    @Test func `a low battery constrains, and says so`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      try battery(12, "Discharging", in: home)
      let session = try await home.open(adding: ["RALLY_SYSFS": home.folder.file("sys")])
      try await session.waitUntil("the low battery and its effect") {
        $0.contains("▲ CONSTRAINED battery 12%") && $0.lines[0].contains("◐ polling 45s")
      }
      session.send(":policy\r")
      try await session.waitFor("Runtime policy", "12%, discharging")
    }

    private func battery(_ percent: Int, _ status: String, in home: Home) throws {
      let folder = home.folder.file("sys/class/power_supply/BAT0")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for (name, value) in [("type", "Battery"), ("status", status), ("capacity", "\(percent)")] {
        try "\(value)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      }
    }

    @Test func `an unknown terminal is refused in a sentence`() async throws {
      let session = try await Home().open(adding: ["TERM": "no-such-terminal"])
      #expect(try await session.waitForExit() == .exited(2))
      #expect(session.screen.contains("TERM"))
      #expect(session.leftBehind == [])
    }

    @Test(arguments: ["C", "POSIX", "en_XX.nonsense", ""])
    func `a poor locale is no reason to fail`(locale: String) async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open(adding: ["LANG": locale, "LC_ALL": locale])
      try await session.waitUntil("the tabs") { $0.lines[0].contains("3 Friends") }
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test(arguments: [
      ("linux", "auto", false), ("vt100", "auto", false), ("xterm-256color", "auto", true),
      ("xterm-256color", "ascii", false),
    ])
    func `the map is drawn with what the terminal has, or with what is wanted`(
      _ type: String, _ glyphs: String, _ isBraille: Bool
    ) async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let folder = home.folder.file("config/rally")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[map]\nglyphs = \"\(glyphs)\"\n".write(
        toFile: "\(folder)/config.toml", atomically: true, encoding: .utf8)
      let session = try await home.open(adding: ["TERM": type])
      try await session.waitForTabs(of: "ana")
      session.send("1")
      let screen = try await session.waitUntil("the map with its scale") {
        $0.contains("Moscow") && $0.contains(isBraille ? "┘ 5000 km" : "| 5000 km")
          || $0.contains(isBraille ? "└ 5000 km" : "|- 5000 km")
      }
      let braille = screen.lines.joined().unicodeScalars
        .contains { (0x2801...0x28FF).contains($0.value) }
      #expect(braille == isBraille)
      session.send("q")
      #expect(try await session.waitForExit() == .exited(0))
      #expect(session.leftBehind == [])
    }

    @Test func `without colour no colour is sent`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      for session in [
        try await home.open(adding: ["NO_COLOR": "1"]), try await home.open("--color", "never"),
      ] {
        try await session.waitUntilLive()
        let screen = session.screen
        for row in 0..<screen.rows {
          let colors = screen.cells(row: row).flatMap {
            [$0.style.foreground, $0.style.background]
          }
          #expect(Set(colors) == [.standard], "row \(row)")
        }
      }
    }

    @Test func `the log tells of no secret and of nothing searched for`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitUntilLive()
      session.send("c")
      try await session.waitFor("Find")
      session.send("zyzzyva")
      try await session.waitFor("Nobody found")
      session.send(.escape)
      try await session.waitForAbsence(of: "zyzzyva")
      session.send(.escape)
      try await session.waitFor("Nobody here yet")
      session.send(":q\r")
      try await session.waitForExit()

      let log = try #require(home.folder.contents.first { $0.hasSuffix(".log") })
      let text = try String(contentsOfFile: home.folder.file(log), encoding: .utf8)
      #expect(text.contains("[Friends]"))
      #expect(!text.contains("zyzzyva"))
      let file = try #require(home.folder.contents.first { $0.contains("sessions/") })
      let stored = try WireJSON.decode(
        AuthSession.self, from: Data(contentsOf: URL(fileURLWithPath: home.folder.file(file))))
      #expect(!text.contains(stored.accessToken))
      #expect(!text.contains(stored.refreshToken))
      #expect(home.folder.permissions(of: log) == 0o600)
    }

    @Test func `a session that ended elsewhere brings the form back`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let session = try await home.open()
      try await session.waitUntilLive()
      try await home.must("logout")
      try await session.waitFor("Your session has ended", "Password")
    }

    @Test func `pasted text goes into one field`() async throws {
      let session = try await Home().open()
      try await session.waitFor("▸ Username")
      session.send("\u{1B}[200~an\na\u{1B}[31m\u{1B}[201~")
      try await session.waitUntil("the pasted text in the first field") {
        $0.contains("▸ Username  an")
      }
      session.send(.control("u"))
      session.send("ana")
      try await session.waitFor("▸ Username  ana")
    }

    @Test func `two who open the interface at once share one server`() async throws {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let (anaHome, bobHome) = (home.profile("ana"), home.profile("bob"))
      try await anaHome.signUp("ana")
      try await bobHome.signUp("bob")
      for server in home.servers { kill(server, SIGKILL) }

      async let first = anaHome.open()
      async let second = bobHome.open()
      let (ana, bob) = try await (first, second)

      try await ana.waitUntilLive()
      try await bob.waitUntilLive()
      #expect(home.servers.count == 1)
    }
  }
}
