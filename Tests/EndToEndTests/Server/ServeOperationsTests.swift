import Foundation
import RallyDomain
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient

extension EndToEnd {
  @Suite struct ServeOperationsTests {
    // MARK: - Users

    @Test func `accounts are listed, closed, opened and removed beside the server`() async throws {
      let server = try ServerProcess()
      try await server.start()
      let (ana, bob) = (try await server.person("ana"), try await server.person("bob"))
      let list = try await server.run("users", "--json").json()
      #expect(list.array?.map { $0["username"] } == ["ana", "bob"])
      #expect(try await server.run("users", "list", "an").output.hasPrefix("@ana"))

      let unconfirmed = try await server.run("users", "disable", "bob")
      #expect(unconfirmed.status == .exited(2))
      #expect(unconfirmed.errors.contains("--yes"))
      #expect(try await server.run("users", "disable", "bob", "--yes").succeeded)
      await #expect(throws: (any Error).self) { _ = try await bob.call(FetchFriends()) }
      #expect(try await server.run("users", "enable", "bob").succeeded)
      _ = try await bob.call(FetchFriends())
      #expect(try await server.run("users", "delete", "@bob", "--yes").succeeded)
      #expect(try await ana.call(SearchPeople(query: "bob")).isEmpty)
      let unknown = try await server.run("users", "delete", "bob", "--yes")
      #expect(unknown.status == .exited(5))
      #expect(unknown.output == "")
    }

    @Test func `a removal is asked about on a terminal`() async throws {
      let server = try ServerProcess()
      try await server.start()
      _ = try await server.person("ana")
      for (answer, status) in [("n", 1), ("y", 0)] {
        let session = try await PtySession(
          RallyBinary.required(),
          ["serve", "users", "delete", "ana", "--data", server.folder.file("server")],
          environment: server.folder.environment, rows: 24, columns: 80, keeping: server)
        try await session.waitFor("[y/N]")
        session.send(answer + "\r")
        #expect(try await session.waitForExit() == .exited(Int32(status)))
      }
      #expect(try await server.run("users", "--json").json() == [])
    }

    @Test func `a reset password is made up or read, and never an argument`() async throws {
      let server = try ServerProcess()
      try await server.start()
      let client = try await server.person("ana")
      let auth = AuthService(client: client)
      let made = try await server.run("users", "reset-password", "ana", "--generate")
      #expect(made.succeeded, "\(made)")
      let password = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(!made.errors.contains(password))
      await #expect(throws: (any Error).self) { _ = try await client.call(FetchFriends()) }
      _ = try await auth.signIn(email: "ana@example.org", password: password)
      let read = try await server.run(
        "users", "reset-password", "ana", "--password-stdin", input: "lantern light\n")
      #expect(read.succeeded, "\(read)")
      _ = try await auth.signIn(email: "ana@example.org", password: "lantern light")
      let short = try await server.run(
        "users", "reset-password", "ana", "--password-stdin", input: "abc\n")
      #expect(short.status == .exited(2))
      let argument = try await server.run("users", "reset-password", "ana", "secret")
      #expect(argument.status == .exited(2))
    }

    // MARK: - What is wrong

    /// What is said of a verb that has to fail.
    private func problem(_ server: ServerProcess, _ arguments: [String]) async throws -> String {
      let run = try await CommandRun.of(
        RallyBinary.required(), ["serve"] + arguments, environment: server.folder.environment)
      #expect(run.status == .exited(1), "\(run)")
      #expect(run.output == "")
      return run.errors
    }

    @Test func `a database that is none, or a newer one, is said so by every verb`() async throws {
      let server = try ServerProcess()
      let (data, copy) = (server.folder.file("server"), server.folder.file("copy.rally"))
      let verbs = [["--port", "0"], ["users"], ["check"], ["backup", copy]]
      try await server.start()
      try await server.terminate()
      let future = try await CommandRun.of(
        "python3",
        [
          "-c",
          "import sqlite3; c = sqlite3.connect('\(data)/rally.db'); "
            + "c.execute(\"INSERT INTO grdb_migrations VALUES ('of tomorrow')\"); c.commit()",
        ], environment: server.folder.environment)
      #expect(future.succeeded, "\(future)")
      for verb in verbs {
        #expect(
          try await problem(server, verb + ["--data", data]) == """
            rally: The database at \(data)/rally.db is of a newer version of Rally.
            Run a Rally as new as the one that made it.

            """)
      }
      for suffix in ["-wal", "-shm"] { unlink("\(data)/rally.db\(suffix)") }
      try Data(repeating: UInt8(ascii: "x"), count: 8192)
        .write(to: URL(filePath: "\(data)/rally.db"))
      for verb in verbs {
        let errors = try await problem(server, verb + ["--data", data])
        #expect(
          errors.hasPrefix("rally: The database at \(data)/rally.db is damaged, or is none.\n"))
        #expect(errors.contains("rally serve restore"))
      }
      #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `a folder that cannot be used is named with the reason`() async throws {
      let server = try ServerProcess()
      let file = server.folder.file("file")
      try Data().write(to: URL(filePath: file))
      let below = try await problem(server, ["--port", "0", "--data", file + "/server"])
      #expect(below.hasPrefix("rally: \(file)/server cannot be used: Not a directory.\n"))
      let itself = try await problem(server, ["--port", "0", "--data", file])
      #expect(itself.hasPrefix("rally: \(file) cannot be used: Not a directory.\n"))
    }

    @Test func `what a backup cannot be written to or read from is named`() async throws {
      let server = try ServerProcess()
      try await server.start()
      try await server.terminate()
      let data = ["--data", server.folder.file("server")]
      let place = server.folder.file("nowhere")
      #expect(
        try await problem(server, ["backup", place + "/copy.rally"] + data)
          == "rally: There is no folder \(place).\nMake it, or give another file.\n")
      let file = server.folder.file("file")
      try Data().write(to: URL(filePath: file))
      #expect(
        try await problem(server, ["backup", file + "/copy.rally"] + data)
          == "rally: The files cannot be used: \(file)/copy.rally: Not a directory.\n")
      #expect(
        try await problem(server, ["restore", place, "--force"] + data)
          == "rally: There is no file \(place).\nGive a file that `rally serve backup` wrote.\n")
    }

    @Test func `a secret is exchanged only where a server has its files`() async throws {
      let server = try ServerProcess()
      let typo = server.folder.file("typo")
      let errors = try await problem(server, ["rotate-secret", "--data", typo])
      #expect(
        errors == """
          rally: No server has its files in \(typo).
          Give the server's folder as --data.

          """)
      #expect(!FileManager.default.fileExists(atPath: typo))
    }

    // MARK: - Signing up

    @Test func `by invitation the verb passes a code on`() async throws {
      let server = try ServerProcess()
      try await server.start()
      let ana = try await server.person("ana")
      let code = try await ana.call(CreateInvitation(missionID: nil)).code
      try await server.terminate()
      try await server.start("--signup", "invited")
      let announcement = try #require(await server.announcement)
      let home = try Home(flags: ["--server", announcement.url, "--key", announcement.key])
      func signUp(_ more: String...) async throws -> CommandRun {
        try await CommandRun.of(
          RallyBinary.required(),
          ["signup", "--email", "bob@example.org", "--username", "bob", "--password-stdin"] + more
            + home.flags, environment: home.environment, input: Home.password + "\n")
      }
      let refused = try await signUp()
      #expect(refused.status == .exited(2))
      #expect(refused.errors.contains("invitation"))
      let taken = try await signUp("--invitation", code.description)
      #expect(taken.succeeded, "\(taken)")
      #expect(try await home.must("friends", "--json").json().array?.count == 1)
    }

    // MARK: - Running

    @Test func `the log is one object a line, with the id of each request`() async throws {
      let server = try ServerProcess()
      try await server.start("--log-format", "json", "--log-level", "info", "--metrics-port", "0")
      let ana = try await server.person("ana")
      _ = try await ana.call(SearchPeople(query: "hidden words"))
      let metrics = try #require(await server.announcement?.metrics)
      #expect(metrics.hasPrefix("http://127.0.0.1:"))
      #expect(try await server.terminate() == .exited(0))
      let lines = await server.errors.split(separator: "\n")
      let objects = lines.compactMap {
        try? WireJSON.decode(JSONValue.self, from: Data($0.utf8))
      }
      #expect(objects.count >= lines.count - 1)
      #expect(objects.contains { $0["route"] == "/rest/v1/rpc/search_people" })
      #expect(!lines.joined().contains("hidden words"))
      #expect(!lines.joined().contains(Home.password))
    }

    /// A manager that opens the socket and then becomes the server, as systemd does.
    private static let manager = """
      import os, socket, sys
      s = socket.socket(); s.bind((os.environ.get("HOST", "127.0.0.1"), 0)); s.listen()
      os.dup2(s.fileno(), 3)
      os.set_inheritable(3, True)
      os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
      os.execv(sys.argv[1], sys.argv[1:])
      """

    @Test func `a socket of a service manager is served, and the manager is told`() async throws {
      let server = try ServerProcess(wrapper: ["python3", "-c", Self.manager])
      try await server.start("--host", "127.0.0.2")
      #expect(await server.announcement?.url.hasPrefix("http://127.0.0.1:") == true)
      let ana = try await server.person("ana")
      #expect(try await ana.call(FetchFriends()).isEmpty)
      #expect(try await server.terminate() == .exited(0))
    }

    @Test func `a public socket of a service manager is refused without TLS`() async throws {
      let folder = try TemporaryFolder()
      var environment = folder.environment
      environment["HOST"] = "0.0.0.0"
      let run = try await CommandRun.of(
        "python3",
        [
          "-c", Self.manager, try RallyBinary.required(), "serve", "--data",
          folder.file("server"), "--host", "127.0.0.1",
        ], environment: environment)
      #expect(run.status == .exited(2), "\(run)")
      #expect(run.output == "")
      #expect(run.errors.contains("anybody on the way to 0.0.0.0 can read passwords"))
      #expect(run.errors.contains("--tls-certificate"))
    }

    /// The settings for systemd that docs/serve.md shows.
    private func dropIns(in project: String) throws -> [String] {
      try String(contentsOfFile: "\(project)/docs/serve.md", encoding: .utf8)
        .components(separatedBy: "```ini\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
    }

    @Test func `the units for systemd are installed for the program beside them`() async throws {
      let folder = try TemporaryFolder()
      let project = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL.path
      let prefix = folder.file("usr")
      func make(_ target: String) async throws {
        let run = try await CommandRun.of(
          "make", ["-C", project, target, "PREFIX=\(prefix)", "SWIFT=true"],
          environment: folder.environment)
        #expect(run.succeeded, "\(run)")
      }
      try await make("install-units")
      let (socket, service) = (
        "\(prefix)/lib/systemd/system/rally.socket", "\(prefix)/lib/systemd/system/rally.service"
      )
      #expect(folder.permissions(of: "usr/lib/systemd/system/rally.service") == 0o644)
      let text = try String(contentsOfFile: service, encoding: .utf8)
      #expect(text.contains("\nExecStart=\(prefix)/bin/rally serve "))
      try FileManager.default.createDirectory(
        atPath: "\(prefix)/bin", withIntermediateDirectories: true)
      symlink(try RallyBinary.required(), "\(prefix)/bin/rally")
      let settings = try dropIns(in: project)
      #expect(settings.count == 3)
      for (number, text) in settings.enumerated() {
        let folder = (text.hasPrefix("[Socket]") ? socket : service) + ".d"
        try FileManager.default.createDirectory(
          atPath: folder, withIntermediateDirectories: true)
        try text.replacing("/usr/local", with: prefix)
          .write(toFile: "\(folder)/\(number).conf", atomically: true, encoding: .utf8)
      }
      let verify = try? await CommandRun.of(
        "systemd-analyze", ["verify", socket, service], environment: folder.environment)
      try await make("uninstall")
      #expect(!folder.contents.contains { $0.hasSuffix(".service") || $0.hasSuffix(".socket") })
      // Only where systemd's own tool is installed.
      guard let verify else { return }
      #expect(verify.succeeded, "\(verify)")
      #expect(!verify.errors.contains("rally."), "\(verify)")
    }
  }
}
