import Foundation
import RallyDomain
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

@testable import RallyClient
@testable import RallyRules

extension EndToEnd {
  /// `rally serve move` with the real programs.
  @Suite struct ServeMoveTests {
    private static func place(_ server: ServerProcess) -> String {
      "sqlite:\(server.folder.file("server"))"
    }

    private func move(
      _ server: ServerProcess, from source: String, to target: String, _ more: String...
    ) async throws -> CommandRun {
      try await CommandRun.of(
        RallyBinary.required(),
        ["serve", "move", "--from", source, "--to", target] + more
          + ["--data", server.folder.file("server")],
        environment: server.folder.environment)
    }

    @Test func `who was signed in before is signed in there, and back again`() async throws {
      let server = try ServerProcess()
      let address = "\(try PostgresFixture.shared.get().database())"
      let key = server.folder.file("key")
      try await server.start()
      let (ana, bob) = (try await server.person("ana"), try await server.person("bob"))
      let bobID = try #require(try await ana.call(SearchPeople(query: "bob")).first?.id)
      _ = try await ana.call(RequestFriend(userID: bobID))
      let before = try #require(await server.announcement)

      let running = try await move(server, from: Self.place(server), to: address, "--yes")
      #expect(running.status == .exited(1))
      #expect(running.errors.hasSuffix("Stop it first.\n"))
      try await server.terminate()
      let unconfirmed = try await move(server, from: Self.place(server), to: address)
      #expect(unconfirmed.status == .exited(2))
      #expect(unconfirmed.errors.contains("2 accounts in "))
      #expect(unconfirmed.errors.contains("the server has to stay stopped"))
      let there = try await move(
        server, from: Self.place(server), to: address, "--yes", "--encryption-key", key, "--json")
      #expect(there.succeeded, "\(there)")
      #expect(try there.json()["accounts"] == 2)
      #expect(try there.json()["differences"] == 0)
      #expect(
        try there.json()["tables"]?.array?.first { $0["table"] == "users" }?["rows"] == 2)

      // The folder has nothing that is needed any more.
      let data = server.folder.file("server")
      try FileManager.default.removeItem(atPath: data)
      try await server.start("--database", address, "--encryption-key", key)
      #expect(try #require(await server.announcement).key == before.key)
      let requests = try await bob.call(FetchFriendRequests(direction: .incoming))
      let anaID = try #require(requests.first?.id)
      _ = try await bob.call(RespondToFriendRequest(userID: anaID, accept: true))
      try await server.terminate()

      let back = try await move(
        server, from: address, to: Self.place(server), "--yes", "--encryption-key", key)
      #expect(back.succeeded, "\(back)")
      #expect(back.output.contains("friendships"))
      #expect(back.errors.contains("both sides are equal"))
      try await server.start()
      #expect(try #require(await server.announcement).key == before.key)
      #expect(try await ana.call(FetchFriends()).count == 1)
      #expect(try await server.run("check").succeeded)
    }

    @Test func `a move that was killed goes on`() async throws {
      let server = try ServerProcess()
      let postgres = try PostgresFixture.shared.get()
      let address = try postgres.database()
      let schema = try #require("\(address)".firstMatch(of: /test_[0-9]+/)?.output)
      try await server.start()
      _ = try await server.person("ana")
      try await server.terminate()
      let data = server.folder.file("server")
      let many = 60_000
      let filled = try await CommandRun.of(
        "python3",
        [
          "-c",
          """
          import sqlite3
          c = sqlite3.connect('\(data)/rally.db')
          user = c.execute('SELECT id FROM users').fetchone()[0]
          c.executemany("INSERT INTO calls (user_id, client_id, function, args_hash, at) "
            "VALUES (?, ?, 'f', 'h', 0)", ((user, 'call %d' % i) for i in range(\(many))))
          c.commit()
          """,
        ], environment: server.folder.environment)
      #expect(filled.succeeded, "\(filled)")
      let arguments = [
        "serve", "move", "--from", Self.place(server), "--to", "\(address)", "--yes", "--data",
        data,
        "--json",
      ]
      let first = try RunningCommand(
        RallyBinary.required(), arguments, environment: server.folder.environment)
      var patience = PollingBackoff()
      // Division by zero until a batch is there.
      while (try? postgres.execute("SELECT 1 / count(*) FROM \(schema).calls")) == nil {
        guard await patience.pause() else { throw ProcessFailure("nothing was copied") }
      }
      first.signal(SIGKILL)
      #expect(try await first.waitForExit() == .signalled(SIGKILL))

      let early = try await server.run("--port", "0", "--database", "\(address)")
      #expect(early.status == .exited(1))
      #expect(early.errors.contains("run `rally serve move` again"))
      let second = try await CommandRun.of(
        RallyBinary.required(), arguments, environment: server.folder.environment)
      #expect(second.succeeded, "\(second)")
      #expect(
        try second.json()["tables"]?.array?.first { $0["table"] == "calls" }?["rows"]
          == .integer(Int64(many)))
      try await server.start("--database", "\(address)")
      try await server.terminate()
    }

    @Test func `what cannot be moved is refused before anything is touched`() async throws {
      let server = try ServerProcess()
      let source = Self.place(server)
      for (from, target, word) in [
        (source, "postgres://ana:geheim@db/rally", "RALLY_DATABASE"),
        ("postgres://db/rally?password=geheim", source, "RALLY_DATABASE"),
        (source, "postgres:", "is not set"),
        (source, source, "one of each"),
        ("postgres://a/b", "postgres://a/c", "one of each"),
        (source, "mysql://ana:geheim@db", "neither"),
        ("sqlite:", "postgres://a/b", "neither"),
      ] {
        let run = try await move(server, from: from, to: target, "--yes")
        #expect(run.status == .exited(2), "\(run)")
        #expect(run.errors.contains(word), "\(run)")
        #expect(!run.errors.contains("geheim"))
      }
      let missing = try await move(server, from: source, to: "postgres://a/b", "--yes")
      #expect(missing.status == .exited(1))
      #expect(missing.errors.contains("There is no database at"))
      #expect(!server.folder.contents.contains("server"))
    }

    @Test func `the commands of PostgreSQL are named, and do what they say`() async throws {
      let server = try ServerProcess()
      let postgres = try PostgresFixture.shared.get()
      let address = try postgres.database()
      let schema = try #require("\(address)".firstMatch(of: /test_[0-9]+/)?.output)
      let database = ["--database", "\(address)"]
      try await server.start("--database", "\(address)")
      let ana = try await server.person("ana")
      let file = server.folder.file("ana's copy")
      func verb(_ words: String...) async throws -> CommandRun {
        try await CommandRun.of(
          RallyBinary.required(), ["serve"] + words + database,
          environment: server.folder.environment)
      }
      /// Runs the command that a refusal names.
      func follow(_ run: CommandRun) async throws {
        #expect(run.status == .exited(2))
        #expect(run.output == "")
        let line = try #require(run.errors.split(separator: "\n").first { $0.hasPrefix("pg_") })
        let done = try await CommandRun.of(
          "sh", ["-c", String(line)], environment: server.folder.environment)
        #expect(done.succeeded, "\(done)")
      }
      try await follow(verb("backup", file))
      _ = try await ana.call(FetchFriends())
      #expect(try await verb("check").succeeded)
      try await server.terminate()
      try await follow(verb("restore", file, "--force"))
      try postgres.execute("DELETE FROM \(schema).profiles")
      try await follow(verb("restore", file, "--force"))
      #expect(try await verb("check").succeeded)
      try await server.start("--database", "\(address)")
      _ = try await ana.call(FetchFriends())
      #expect(try await verb("users", "list").output.hasPrefix("@ana"))

      try postgres.execute(
        """
        SET session_replication_role = replica; DELETE FROM \(schema).profiles;
        ALTER TABLE \(schema).profiles DROP COLUMN bio
        """)
      let damaged = try await verb("check")
      #expect(damaged.status == .exited(1))
      #expect(damaged.output == "the column bio of the table profiles is missing\n")
    }
  }
}
