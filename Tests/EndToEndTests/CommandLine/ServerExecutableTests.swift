import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// `rally serve` is a program of its own that nobody has to know of.
  @Suite struct ServerExecutableTests {
    /// The file that a process executes now.
    private func executable(of process: pid_t) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
    }

    /// Puts a program that was built into another folder, without copying where that is possible.
    private func install(_ program: String, at path: String) throws {
      try FileManager.default.createDirectory(
        at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
      if link(program, path) != 0 {
        try FileManager.default.copyItem(atPath: program, toPath: path)
      }
    }

    @Test func `serve becomes the server in the same process, under the same name`() async throws {
      let served = try await ServedRally()
      #expect(try executable(of: served.command.processID) == RallyBinary.server())
      let line = try String(
        contentsOfFile: "/proc/\(served.command.processID)/cmdline", encoding: .utf8)
      #expect(try line.hasPrefix("\(RallyBinary.required())\0serve\0--data\0"))
    }

    @Test func `options may stand before serve`() async throws {
      let home = try Home()
      for options in [["--json"], ["--data", home.folder.file("server"), "--json"]] {
        let run = try await CommandRun.of(
          RallyBinary.required(), options + ["serve", "budgets"], environment: home.environment)
        #expect(try run.json().array?.isEmpty == false, "\(run)")
      }
    }

    @Test func `help on serve is the same from both programs`() async throws {
      let home = try Home()
      let help = try await home.must("help", "serve", "users", "list")
      #expect(help.output.contains("USAGE: rally serve users list"))
      #expect(try await home.must("serve", "users", "list", "--help").output == help.output)
    }

    @Test func `the embedded server is that program`() async throws {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      try await home.signUp("ana")
      let servers = try home.servers.map { executable(of: $0) == (try RallyBinary.server()) }
      #expect(servers == [true])
    }

    @Test func `installed, the server is found below libexec, also from a link to rally`()
      async throws
    {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let (client, server) = (
        home.folder.file("usr/bin/rally"), home.folder.file("usr/libexec/rally/rally-server")
      )
      try install(RallyBinary.required(), at: client)
      try install(RallyBinary.server(), at: server)
      try FileManager.default.createSymbolicLink(
        atPath: home.folder.file("link"), withDestinationPath: client)
      for program in [client, home.folder.file("link")] {
        let run = try await CommandRun.of(
          program, ["serve", "budgets"], environment: home.environment)
        #expect(run.succeeded, "\(run)")
      }
      let signUp = try await CommandRun.of(
        client, ["signup", "--username", "ana", "--password-stdin"],
        environment: home.environment, input: Home.password + "\n")
      #expect(signUp.succeeded, "\(signUp)")
      #expect(home.servers.map(executable) == [server])
    }

    @Test func `without the server's program it is said what is missing and what to do`()
      async throws
    {
      let home = try Home()
      let client = home.folder.file("bin/rally")
      try install(RallyBinary.required(), at: client)
      func run(_ arguments: String...) async throws -> CommandRun {
        try await CommandRun.of(
          client, arguments, environment: home.environment, input: Home.password + "\n")
      }
      let folder = home.folder.path
      for arguments in [["serve", "--port", "0"], ["--data", folder, "serve", "users"]] {
        let failed = try await CommandRun.of(client, arguments, environment: home.environment)
        #expect(failed.status == .exited(1))
        #expect(failed.output == "")
        #expect(
          failed.errors == """
            rally: The server's program was not found: neither \(folder)/bin/rally-server nor \
            \(folder)/libexec/rally/rally-server.
            Install Rally again: `make install` puts both of its programs in place.

            """)
      }
      let embedded = try await run("signup", "--username", "ana", "--password-stdin")
      #expect(embedded.status == .exited(1))
      #expect(embedded.errors.contains("\(folder)/bin/rally-server"), "\(embedded)")
      let doctor = try await run("doctor", "--no-query", "--json")
      let problems = try doctor.json()["problems"]?.array ?? []
      let problem = try #require(problems.first { $0["about"] == "server program" })
      #expect(problem["grave"] == true)
      // What needs no server works.
      #expect(try await run("help", "serve").output.contains("USAGE: rally serve"))
    }

    @Test func `a file that is no program is named with the reason`() async throws {
      let home = try Home()
      let client = home.folder.file("bin/rally")
      try install(RallyBinary.required(), at: client)
      let file = home.folder.file("bin/rally-server")
      try Data().write(to: URL(filePath: file))
      chmod(file, 0o755)
      let run = try await CommandRun.of(
        client, ["serve", "budgets"], environment: home.environment)
      #expect(run.status == .exited(1))
      #expect(run.errors.hasPrefix("rally: \(file) could not be started: Exec format error.\n"))
    }

    @Test func `a signal while the server starts ends it`() async throws {
      let folder = try TemporaryFolder()
      let program = try RallyBinary.server()
      let moments: [(String, (pid_t) -> Bool)] = [
        ("at once", { _ in true }),
        ("as the server", { executable(of: $0) == program }),
        ("while it opens its data", { _ in folder.contents.contains("server/server.lock") }),
      ]
      for (moment, hasCome) in moments {
        let command = try RunningCommand(
          RallyBinary.required(), ["serve", "--data", folder.file("server"), "--port", "0"],
          environment: folder.environment)
        try await eventually(moment) { hasCome(command.processID) }
        command.signal(SIGTERM)
        let end = try await command.waitForExit()
        #expect([.signalled(SIGTERM), .exited(0)].contains(end), "\(moment): \(end)")
      }
    }

    @Test func `the client does not load the server's libraries`() async throws {
      let folder = try TemporaryFolder()
      func libraries(_ program: String) async throws -> String {
        let run = try await CommandRun.of("ldd", [program], environment: folder.environment)
        guard run.succeeded else { throw ProcessFailure("\(run)") }
        return run.output
      }
      #expect(try await libraries(RallyBinary.server()).contains("libsodium"))
      #expect(try await !libraries(RallyBinary.required()).contains("libsodium"))
    }

    @Test func `the client uses nothing of Foundation but its essentials, and no ICU`() async throws
    {
      let folder = try TemporaryFolder()
      let run = try await CommandRun.of(
        "nm", ["-D", "--undefined-only", RallyBinary.required()], environment: folder.environment)
      let symbols = run.output.split(separator: "\n").map { String($0.drop { $0 != "$" }) }
      #expect(symbols.contains { $0.contains("20FoundationEssentials") })
      // Names are mangled with their lengths: `10Foundation`, `30FoundationInternationalization`.
      let foreign = symbols.filter {
        $0.contains("Internationalization") || $0.contains(/(^|[^0-9])10Foundation/)
      }
      #expect(foreign.isEmpty)
    }

    @Test func `make install puts both programs where they find each other`() async throws {
      let folder = try TemporaryFolder()
      // Stands for the package manager, and for what it has built.
      for name in ["swift", "rally", "rally-server"] {
        try Data("#!/bin/sh\necho \(folder.path)\n".utf8)
          .write(to: URL(filePath: folder.file(name)))
        chmod(folder.file(name), 0o755)
      }
      let project = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.path
      func make(_ arguments: String...) async throws {
        let run = try await CommandRun.of(
          "make",
          ["-C", project, "PREFIX=\(folder.file("usr"))", "SWIFT=\(folder.file("swift"))"]
            + arguments, environment: folder.environment)
        #expect(run.succeeded, "\(run)")
      }
      try await make("--old-file=build", "install")
      #expect(folder.permissions(of: "usr/bin/rally") == 0o755)
      #expect(folder.permissions(of: "usr/libexec/rally/rally-server") == 0o755)
      try await make("uninstall")
      #expect(!folder.contents.contains { $0.hasPrefix("usr/libexec/rally") })
      #expect(!folder.contents.contains("usr/bin/rally"))
    }
  }
}

extension RallyBinary {
  /// The path of `rally-server`, built with the tests.
  ///
  /// - Throws: `ProcessFailure` if `rally` was not built.
  static func server() throws -> String { try required() + "-server" }
}
