import Foundation
import RallyServer
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// The commands of `docs/group.md`, word for word, on an empty machine with a network of its own.
  /// The first two, for apt and certbot, need the internet: there are the programs that were built, and
  /// a certificate of the test's own authority.
  @Suite struct GroupGuideTests {
    private static let name = "rally.example.org"

    /// The numbered commands of the page.
    private static func commands() throws -> [String] {
      let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/group.md")
      let text = try String(contentsOf: page, encoding: .utf8)
      let block = try #require(text.components(separatedBy: "```sh\n").dropFirst().first)
      let lines = try #require(block.components(separatedBy: "```").first)
      return lines.components(separatedBy: "\n\n").map { part in
        part.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n")
      }
    }

    /// A command as the machine's root types it.
    private static func line(_ command: String, with certificate: CertificateFiles) throws -> String
    {
      let folder = "/etc/letsencrypt/live/\(name)"
      let typed = try #require(command.hasPrefix("sudo ") ? command.dropFirst(5) : nil)
      return "exec "
        + typed.replacing("\(folder)/fullchain.pem", with: certificate.certificate)
        .replacing("\(folder)/privkey.pem", with: certificate.key)
    }

    @Test(
      .enabled("this system gives no network of its own") { await LonelyMachine.isAllowed() })
    func `four commands lead from an empty machine to two friends`() async throws {
      let commands = try Self.commands()
      try #require(commands.count == 4)
      #expect(commands[0].contains("rally-server_*.deb") && commands[1].contains(Self.name))
      let machine = try await LonelyMachine(named: Self.name)
      let authority = try await TestAuthority()
      let certificate = try await authority.certificate(for: ["DNS:\(Self.name)"])
      let programs = URL(filePath: try RallyBinary.required()).deletingLastPathComponent().path
      var environment = machine.folder.environment
      environment["PATH"] = "\(programs):\(environment["PATH"] ?? "/usr/bin:/bin")"
      environment["SSL_CERT_FILE"] = authority.path
      let typed = machine.wrapper + ["sh", "-c"]
      let server = try RunningCommand(
        typed[0], typed.dropFirst() + [Self.line(commands[2], with: certificate)],
        environment: environment)
      defer { server.signal(SIGKILL) }
      try await eventually("the server says that it is reached") {
        server.snapshot.errorText.contains("https://\(Self.name) answers as this server")
      }
      let made = try await CommandRun.of(
        typed[0], typed.dropFirst() + [Self.line(commands[3], with: certificate)],
        environment: environment)
      let first = made.output.trimmingCharacters(in: .newlines)
      #expect(
        first.wholeMatch(of: /https:\/\/rally\.example\.org\/i#[0-9A-Z]{16}/) != nil, "\(made)")

      func join(_ username: String, by link: String, until sentence: String) async throws -> Home {
        var home = try Home()
        home.wrapper = machine.wrapper
        home.variables["SSL_CERT_FILE"] = authority.path
        let session = try await home.open(link)
        try await session.waitFor("▸ Username")
        session.send("\(username)\r")
        try await session.waitFor("▸ Password")
        session.send("\(Home.password)\r")
        try await session.waitFor(sentence)
        session.send("q")
        try await session.waitForExit()
        return home
      }
      let ana = try await join("ana", by: first, until: "@ana")
      let link = try await ana.must("invite").output.trimmingCharacters(in: .newlines)
      #expect(link.hasPrefix("https://\(Self.name)/i#"))
      let ben = try await join("ben", by: link, until: "You and @ana are friends now.")
      for (home, friend) in [(ana, "ben"), (ben, "ana")] {
        let friends = try await home.must("friends", "--json").json().array
        #expect(friends?.map { $0["username"] } == [.string(friend)])
      }
    }
  }
}
