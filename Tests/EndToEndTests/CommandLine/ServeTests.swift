import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct ServeTests {
    @Test func `serve says one line when it is ready and ends cleanly on TERM`() async throws {
      let served = try await ServedRally()
      #expect(served.announcement.url.hasPrefix("http://127.0.0.1:"))
      #expect(!served.announcement.key.isEmpty)
      try await served.home("ana").must("whoami", "--json")

      served.command.signal(SIGTERM)

      #expect(try await served.command.waitForExit() == .exited(0))
      let lines = served.command.snapshot.outputText.split(separator: "\n")
      #expect(lines.count == 1)
    }

    @Test func `what was served is there again after a restart`() async throws {
      let home = try Home()
      func serve() async throws -> (RunningCommand, ServerAnnouncement) {
        let command = try RunningCommand(
          RallyBinary.required(),
          [
            "serve", "--data", home.folder.file("server"), "--host", "127.0.0.1", "--port", "0",
            "--json",
          ], environment: home.environment)
        let line = try await command.firstLine()
        return (command, try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8)))
      }
      let (first, before) = try await serve()
      var ana = home
      ana.flags = ["--server", before.url, "--key", before.key]
      try await ana.signUp("ana")
      first.signal(SIGKILL)
      try await first.waitForExit()

      let (second, after) = try await serve()

      #expect(after.key == before.key)
      ana.flags = ["--server", after.url, "--key", after.key]
      try await ana.must(
        "login", "--email", "ana@example.org", "--password-stdin", input: Home.password + "\n")
      second.signal(SIGTERM)
      #expect(try await second.waitForExit() == .exited(0))
    }

    @Test func `serve ends on TERM while people are on it, and they are told`() async throws {
      let served = try await ServedRally()
      let session = try await served.home("ana").open()
      try await session.waitUntilLive()

      served.command.signal(SIGTERM)

      #expect(try await served.command.waitForExit() == .exited(0))
      try await session.waitUntil("that the server is away") { $0.lines[0].contains("offline") }
    }

    @Test func `a second server on the same data is refused`() async throws {
      let served = try await ServedRally()
      let other = try await CommandRun.of(
        RallyBinary.required(),
        [
          "serve", "--data", served.folder.file("server"), "--host", "127.0.0.1", "--port", "0",
          "--json",
        ], environment: served.folder.environment)
      #expect(other.status == .exited(1))
      #expect(other.output == "")
      #expect(!other.errors.isEmpty)
    }

    @Test func `budgets are listed, changed by name, and a name written wrong is mended`()
      async throws
    {
      let home = try Home()
      let list = try await home.must("serve", "budgets", "--json").json()
      let names = list.array?.compactMap { $0["name"]?.string } ?? []
      #expect(names.contains("searches-per-person"))
      let wrong = try await CommandRun.of(
        RallyBinary.required(),
        [
          "serve", "--data", home.folder.file("server"), "--port", "0", "--budget",
          "serches-per-person=1",
        ], environment: home.environment)
      #expect(wrong.status == .exited(2))
      #expect(wrong.output == "")
      #expect(wrong.errors.contains("Did you mean searches-per-person?"), "\(wrong)")

      let served = try await ServedRally("--budget", "searches-per-person=1")
      let ana = try await served.home("ana")
      try await ana.must("friends", "search", "somebody")
      let refused = try await CommandRun.of(
        RallyBinary.required(), ["friends", "search", "somebody"] + ana.flags,
        environment: ana.environment)
      #expect(!refused.succeeded)
    }

    @Test func `an address that cannot be listened on is named, with what to do`() async throws {
      let served = try await ServedRally()
      let port = try #require(URLComponents(string: served.announcement.url)?.port)
      let folder = try TemporaryFolder()
      func errors(_ arguments: String...) async throws -> String {
        let run = try await CommandRun.of(
          RallyBinary.required(), ["serve", "--data", folder.file("server")] + arguments,
          environment: folder.environment)
        #expect(run.status == .exited(1))
        #expect(run.output == "")
        return run.errors
      }
      let taken = "rally: Another program listens on 127.0.0.1:\(port).\nStop it, or give another "
      #expect(try await errors("--port", "\(port)") == taken + "--port.\n")
      #expect(
        try await errors("--port", "0", "--metrics-port", "\(port)")
          .hasSuffix(taken + "--metrics-port.\n"))
      // An address that is kept for documents.
      let foreign = try await errors("--host", "203.0.113.9", "--port", "0", "--insecure")
      #expect(foreign.hasPrefix("rally: 203.0.113.9:0 is no address of this machine.\n"))
      #expect(foreign.contains("--host"))
    }

    @Test func `the server's files are private`() async throws {
      let served = try await ServedRally()
      _ = try await served.home("ana")
      let readable = served.folder.contents.filter { name in
        name.hasPrefix("server") && (served.folder.permissions(of: name) ?? 0) & 0o077 != 0
      }
      #expect(readable == [])
    }
  }
}
