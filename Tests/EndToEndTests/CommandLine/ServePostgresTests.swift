import Foundation
import RallyServer
import RallyStorage
import RallyTestSupport
import RallyWire
import Testing

@testable import RallyRules

extension EndToEnd {
  @Suite struct ServePostgresTests {
    private static func serve(
      _ flags: [String], variable: String? = nil
    ) async throws -> CommandRun {
      let folder = try TemporaryFolder()
      var environment = folder.environment
      environment["RALLY_DATABASE"] = variable
      return try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "--data", folder.file("server"), "--port", "0"] + flags,
        environment: environment)
    }

    @Test func `a password in the arguments is refused and not repeated`() async throws {
      let run = try await Self.serve(["--database", "postgres://ana:geheim@db/rally"])
      #expect(run.status == .exited(2))
      #expect(!run.errors.contains("geheim"))
      #expect(run.errors.contains("RALLY_DATABASE"))
    }

    @Test func `a database that cannot be reached is named without its password`() async throws {
      let address = try PostgresFixture.shared.get().database().description
      func named(_ account: String) -> String {
        address.replacingOccurrences(of: "rally@", with: account + "@")
      }
      let run = try await Self.serve([], variable: named("nobody_here:geheim"))
      #expect(run.status == .exited(1))
      #expect(run.errors.contains(named("nobody_here")))
      #expect(!run.errors.contains("geheim"))
      // The same for its verbs, which take the database in the same ways.
      let users = try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "users", "list", "--database", named("nobody_here")],
        environment: TemporaryFolder().environment)
      #expect(users.status == .exited(1))
      #expect(users.errors == run.errors)
    }

    @Test func `serve works on PostgreSQL and finds everything again`() async throws {
      let home = try Home()
      let address = try PostgresFixture.shared.get().database()
      var environment = home.environment
      environment["RALLY_DATABASE"] = address.description
      func serve() async throws -> (RunningCommand, Home) {
        let command = try RunningCommand(
          RallyBinary.required(),
          [
            "serve", "--data", home.folder.file("server"), "--host", "127.0.0.1", "--port", "0",
            "--json",
          ], environment: environment)
        let line = try await command.firstLine()
        let served = try WireJSON.decode(ServerAnnouncement.self, from: Data(line.utf8))
        var ana = home
        ana.flags = ["--server", served.url, "--key", served.key]
        return (command, ana)
      }
      let (first, ana) = try await serve()
      try await ana.signUp("ana")
      let users = try await CommandRun.of(
        RallyBinary.required(), ["serve", "users", "list", "--database", address.description],
        environment: home.environment)
      #expect(users.output.contains("ana@example.org"))
      first.signal(SIGTERM)
      #expect(try await first.waitForExit() == .exited(0))
      #expect(!home.folder.contents.contains { $0.hasSuffix("rally.db") })

      let (second, again) = try await serve()
      try await again.must(
        "login", "--email", "ana@example.org", "--password-stdin", input: Home.password + "\n")
      second.signal(SIGTERM)
      #expect(try await second.waitForExit() == .exited(0))
    }
  }
}
