import Foundation
import RallyServer
import RallyTestSupport
import RallyWire
import Testing

extension EndToEnd {
  @Suite struct ServeSecurityTests {
    private func run(_ arguments: String..., in folder: TemporaryFolder) async throws -> CommandRun
    {
      try await CommandRun.of(
        RallyBinary.required(), ["serve", "--data", folder.file("server")] + arguments,
        environment: folder.environment)
    }

    @Test func `a public address without TLS is refused unless insecure is said`() async throws {
      let folder = try TemporaryFolder()
      for host in ["0.0.0.0", "::", "rally.example.org"] {
        let refused = try await run("--host", host, "--port", "0", in: folder)
        #expect(refused.status == .exited(2))
        #expect(refused.errors.contains("can read passwords"))
        #expect(refused.errors.contains("--insecure"))
      }
      let half = try await run("--tls-certificate", "/nowhere.pem", in: folder)
      #expect(half.status == .exited(2))
      #expect(half.errors.contains("Give both --tls-certificate and --tls-key."))

      let command = try RunningCommand(
        RallyBinary.required(),
        [
          "serve", "--data", folder.file("server"), "--host", "0.0.0.0", "--port", "0",
          "--insecure", "--json",
        ], environment: folder.environment)
      let line = try await command.firstLine()
      #expect(line.contains("http://0.0.0.0:"))
      command.signal(SIGTERM)
      #expect(try await command.waitForExit() == .exited(0))
    }

    @Test func `a bad certificate ends the start with a sentence`() async throws {
      let folder = try TemporaryFolder()
      let refused = try await run(
        "--tls-certificate", "/nowhere.pem", "--tls-key", "/nowhere.key", in: folder)
      #expect(refused.status == .exited(1))
      #expect(refused.errors.contains("/nowhere.key cannot be read"))
    }

    @Test func `people use a server over TLS, and HUP renews its certificate`() async throws {
      let authority = try await TestAuthority()
      let files = try await authority.certificate()
      let folder = try TemporaryFolder()
      var environment = folder.environment
      environment["RALLY_TLS_CERTIFICATE"] = files.certificate
      environment["RALLY_TLS_KEY"] = files.key
      let command = try RunningCommand(
        RallyBinary.required(),
        ["serve", "--data", folder.file("server"), "--port", "0", "--json"],
        environment: environment)
      let announcement = try WireJSON.decode(
        ServerAnnouncement.self, from: Data(try await command.firstLine().utf8))
      #expect(announcement.url.hasPrefix("https://127.0.0.1:"))

      func status(trusting authority: TestAuthority?) async throws -> CommandRun {
        let person = try TemporaryFolder()
        var environment = person.environment
        environment["SSL_CERT_FILE"] = authority?.path
        return try await CommandRun.of(
          RallyBinary.required(),
          [
            "login", "--email", "ana@example.org", "--password-stdin", "--server",
            announcement.url, "--key", announcement.key,
          ], environment: environment, input: "wrong horse\n")
      }
      // Reached, and refused for the password alone.
      #expect(try await status(trusting: authority).status == .exited(5))
      let untrusted = try await status(trusting: nil)
      #expect(untrusted.status == .exited(4))
      #expect(untrusted.errors.contains("signed by nobody this machine trusts"))

      let other = try await TestAuthority()
      let renewed = try await other.certificate()
      for (path, fresh) in [(files.certificate, renewed.certificate), (files.key, renewed.key)] {
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: fresh, toPath: path)
      }
      command.signal(SIGHUP)
      var patience = PollingBackoff()
      while try await status(trusting: other).status != .exited(5) {
        guard await patience.pause() else { throw CancellationError() }
      }
      command.signal(SIGTERM)
      #expect(try await command.waitForExit() == .exited(0))
    }

    @Test func `a new secret reaches the running server and signs nobody out`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let file = served.folder.file("server/server.json")
      let before = try #require(FileManager.default.contents(atPath: file))

      let rotated = try await CommandRun.of(
        RallyBinary.required(), ["serve", "rotate-secret", "--data", served.folder.file("server")],
        environment: served.folder.environment)

      #expect(rotated.succeeded, "\(rotated)")
      #expect(rotated.errors.contains("process \(served.command.processID) was told"))
      let after = try #require(FileManager.default.contents(atPath: file))
      #expect(after != before)
      #expect(served.folder.permissions(of: "server/server.json") == 0o600)
      try await home.must("whoami", "--json")
      try await home.must("friends", "list", "--json")
    }
  }
}
