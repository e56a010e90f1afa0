import Foundation
import RallyDomain
import RallyTestSupport
import RallyWire
import Testing

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
      s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
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

    @Test func `the unit for systemd is one`() async throws {
      let folder = try TemporaryFolder()
      let units = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Packaging/systemd").standardizedFileURL.path
      for name in ["rally.service", "rally.socket"] {
        let text = try String(contentsOfFile: "\(units)/\(name)", encoding: .utf8)
          .replacing("/usr/bin/rally", with: try RallyBinary.required())
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
      }
      let verify = try? await CommandRun.of(
        "systemd-analyze", ["verify", folder.file("rally.socket"), folder.file("rally.service")],
        environment: folder.environment)
      // Only where systemd's own tool is installed.
      guard let verify else { return }
      #expect(verify.succeeded, "\(verify)")
      #expect(!verify.errors.contains("rally."), "\(verify)")
    }
  }
}
