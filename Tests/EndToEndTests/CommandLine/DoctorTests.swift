import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// What the doctor finds on a real machine with a real terminal.
  @Suite struct DoctorTests {
    /// The report of a doctor in a terminal that answers as an xterm does.
    private func doctor(_ home: Home, _ flags: String...) async throws -> JSONValue {
      let file = home.folder.file("doctor.json")
      let command = (["doctor", "--json"] + flags + home.flags).map { "'\($0)'" }
        .joined(separator: " ")
      let session = try await PtySession(
        "/bin/sh", ["-c", "'\(try RallyBinary.required())' \(command) > '\(file)'; echo ended $?"],
        environment: home.environment, keeping: home)
      try await session.waitFor("ended")
      #expect(session.settings == session.initialSettings)
      // Nothing of the questions stays on the screen, and no answer is typed at the shell.
      #expect(session.screen.text.trimmingCharacters(in: .whitespacesAndNewlines) == "ended 0")
      let text = try String(contentsOfFile: file, encoding: .utf8)
      return try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
    }

    @Test func `a terminal is asked what it understands and how wide it draws`() async throws {
      let served = try await ServedRally()
      let report = try await doctor(served.home("ana"))
      let terminal = report["terminal"]
      #expect(terminal?["supports"]?["paste"] == "yes")
      #expect(terminal?["color_mode"] == "indexed")
      #expect(terminal?["color_reason"]?.string?.contains("256 colours") == true)
      let widths = terminal?["widths"]?.array ?? []
      #expect(widths.count > 10)
      for width in widths { #expect(width["measured"] == width["expected"], "\(width)") }
      #expect(report["problems"]?.array?.isEmpty == true, "\(report["problems"] ?? .null)")
    }

    @Test(arguments: [
      ("xterm-256color", "truecolor", "COLORTERM is truecolor"),
      ("screen", "24bit", "COLORTERM is 24bit"),
      ("rgb", "yes", "the system's description of rgb has 24 bits"),
      ("xterm-256color", "yes", "the system's description of xterm-256color has 256 colours"),
    ])
    func `the reason for the number of colours is what decided it`(
      type: String, announced: String, reason: String
    ) async throws {
      let home = try Home()
      let places = home.folder.file("terminfo")
      // A terminal that says it by its description alone.
      let tic = try await CommandRun.of(
        "tic", ["-x", "-o", places, "-"], environment: home.environment,
        input: "rgb|says it in its description,\n\tRGB, use=xterm-256color,\n")
      #expect(tic.succeeded, "\(tic)")
      let run = try await home.rally(
        "doctor", "--no-query", "--json",
        adding: ["TERM": type, "COLORTERM": announced, "TERMINFO_DIRS": "\(places):"])
      #expect(try run.json()["terminal"]?["color_reason"]?.string == reason)
    }

    @Test func `streets are listed, and those that cannot be read are a hint`() async throws {
      let home = try await ServedRally().home("ana")
      try await home.must("map", "add", MapAddTests.path("monaco.pmtiles"))
      try Data("nothing".utf8).write(
        to: URL(filePath: home.folder.file("data/rally/streets/broken.pmtiles")))
      let run = try await home.must("doctor", "--no-query")
      #expect(run.output.contains("broken, monaco"))
      #expect(run.output.contains("rally map remove broken"))
      let report = try await home.must("doctor", "--no-query", "--json").json()
      #expect(report["streets"]?.array?.map { $0["state"] } == ["damaged", "whole"])
    }

    @Test func `without questions nothing is measured`() async throws {
      let served = try await ServedRally()
      let report = try await doctor(served.home("ana"), "--no-query")
      #expect(report["terminal"]?["widths"] == nil)
      #expect(report["terminal"]?["supports"] == nil)
    }

    @Test func `tmux is asked for real, and draws as wide as Rally counts`() async throws {
      let programs = ["/usr/bin/tmux", "/usr/local/bin/tmux"]
      guard let tmux = programs.first(where: FileManager.default.isExecutableFile) else { return }
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let file = home.folder.file("doctor.json")
      let flags = home.flags.map { "'\($0)'" }.joined(separator: " ")
      let line =
        "'\(try RallyBinary.required())' doctor --json \(flags) > '\(file).new'; "
        + "mv '\(file).new' '\(file)'"
      let environment = home.environment.merging(
        ["TMUX_TMPDIR": home.folder.path, "LC_ALL": "C.UTF-8"]) { $1 }
      let run = try await CommandRun.of(
        tmux, ["-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", line],
        environment: environment, input: "")
      #expect(run.succeeded, "\(run)")
      try await eventually("the report") { FileManager.default.fileExists(atPath: file) }
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let report = try WireJSON.decode(JSONValue.self, from: Data(text.utf8))
      let terminal = report["terminal"]
      #expect(terminal?["name"]?.string?.hasPrefix("tmux") == true, "\(text)")
      let widths = terminal?["widths"]?.array ?? []
      #expect(widths.count > 10)
      for width in widths {
        #expect(width["measured"] == width["expected"], "\(width)")
      }
    }

    @Test func `server, clock, files and secrets are told, the secrets never shown`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let run = try await home.must("doctor", "--json")
      let report = try run.json()
      #expect(report["server"]?["reached"] == true)
      #expect(report["server"]?["version"]?.string?.hasPrefix("GoTrue") == true)
      #expect(try report["server_program"]?.string == RallyBinary.server())
      let skew = try #require(report["clock"]?["skew_seconds"]?.asNumber)
      #expect(abs(skew) <= 2)
      #expect(report["sources"]?["netlink"] != nil)
      let secrets = report["secrets"]?.array ?? []
      #expect(secrets.count == 1)
      #expect(secrets.first?["mode"] == "0600")
      let path = try #require(secrets.first?["path"]?.string)
      let stored = try WireJSON.decode(
        AuthSession.self, from: #require(FileManager.default.contents(atPath: path)))
      #expect(!run.output.contains(stored.refreshToken))
      #expect(!run.output.contains(stored.accessToken))
      #expect(report["problems"]?.array?.isEmpty == true, "\(report["problems"] ?? .null)")
    }

    @Test func `a secret that others can read is a problem with the command that mends it`()
      async throws
    {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let before = try await home.must("doctor", "--json").json()
      let path = try #require(before["secrets"]?.array?.first?["path"]?.string)
      chmod(path, 0o644)
      let run = try await home.rally("doctor", "--json")
      #expect(run.status == .exited(1))
      let problem = try run.json()["problems"]?.array?.first
      #expect(problem?["about"] == "session")
      #expect(problem?["advice"] == .string("chmod 600 '\(path)'"))
      #expect(problem?["grave"] == true)
    }

    @Test func `a clock that is wrong and a bus without a desktop are told`() async throws {
      let desktop = try await NotificationServer()
      let served = try await ServedRally()
      let report = try await served.home("ana").rally(
        "doctor", "--json", adding: ["DBUS_SESSION_BUS_ADDRESS": desktop.address])
      #expect(try report.json()["bus"]?["server"] == "test")
      let none = try await served.home().rally(
        "doctor", "--json", adding: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(none.status == .exited(0))
      let problems = try none.json()["problems"]?.array
      #expect(problems?.first?["about"] == "desktop")
      #expect(problems?.first?["grave"] == false)
    }

    @Test func `without a server the status says so and the rest is told all the same`()
      async throws
    {
      let run = try await Home(flags: ["--server", "http://127.0.0.1:1", "--key", "k"]).rally(
        "doctor")
      #expect(run.status == .exited(4))
      #expect(run.output.contains("policy"))
      #expect(run.output.contains("problem"))
    }
  }
}
