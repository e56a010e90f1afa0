import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// Links that a browser or a desktop hands to Rally.
  @Suite struct OpenVerbTests {
    @Test func `the open interface shows what a link gives, and accepts nothing`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob", displayName: "Bob")
      let link = try #require(
        try await bob.must("invite", "create", "--json").json()["link"]?.string)
      let session = try await ana.open()
      try await session.waitUntilLive()
      let run = try await ana.must("open", link)
      #expect(run.errors.contains("The open interface shows it."))
      try await session.waitFor("Bob (@bob) invites you to be friends.")
      #expect(try await bob.must("friends", "list", "--json").json() == [])
    }

    @Test func `in a terminal the interface starts with the link`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob", displayName: "Bob")
      let link = try #require(
        try await bob.must("invite", "create", "--json").json()["link"]?.string)
      let session = try await ana.open(adding: [:], "open", link)
      try await session.waitFor("Bob (@bob) invites you to be friends.")
    }

    @Test func `when the first interface ends the second takes its place`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let first = try await ana.open()
      try await first.waitUntilLive()
      let second = try await ana.open()
      try await second.waitUntilLive()
      first.signal(SIGKILL)
      try await eventually("the second listens") {
        try await ana.rally("open", "rally://invite/7QK2MX9PTF").succeeded
      }
      try await second.waitFor("Invitation")
      try await eventually("the second keeps the status") {
        try await ana.rally("status", "--format", "{age?old}{requests}").output == "0\n"
      }
    }

    @Test(arguments: [
      ("https://example.org/", 2), ("rally://settings/x", 2), ("rally://invite/\u{1B}[31m", 2),
      ("https://rally.example.org/i#7QK2", 2),
    ])
    func `what no link of this server is, is refused`(link: String, status: Int32) async throws {
      let home = try Home()
      let run = try await home.rally("open", link)
      #expect(run.status == .exited(status), "\(run)")
      #expect(HostileText.forbidden(in: run.errors) == [])
    }

    @Test func `without an interface one is started in a terminal, if there is any`() async throws {
      let home = try Home()
      // The machine's own programs are not looked at: a desktop has a terminal of its own.
      let programs = home.folder.file("programs")
      try FileManager.default.createDirectory(
        atPath: programs, withIntermediateDirectories: true, attributes: nil)
      let none = try await home.rally(
        "open", "rally://invite/7QK2MX9PTF", adding: ["PATH": programs])
      #expect(none.status == .exited(1))
      #expect(none.errors.contains("there is no terminal to start one in"))
      let terminal = "\(programs)/xdg-terminal-exec"
      try Data("#!/bin/sh\nprintf '%s\\n' \"$@\"\n".utf8).write(to: URL(filePath: terminal))
      chmod(terminal, 0o700)
      let run = try await home.rally(
        "open", "--profile", "work", "rally://invite/7QK2MX9PTF?evil=$(x)",
        adding: ["PATH": programs])
      #expect(run.succeeded, "\(run)")
      let words = run.output.split(separator: "\n")
      #expect(words.dropFirst() == ["--profile", "work", "rally://invite/7QK2MX9PTF"])
      #expect(words.first?.hasSuffix("/rally") == true)
    }

    private static let validator = "/usr/bin/desktop-file-validate"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: validator)))
    func `the desktop entry is valid`() async throws {
      let folder = try TemporaryFolder()
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
      let run = try await CommandRun.of(
        Self.validator, [root.appending(path: "Packaging/desktop/rally.desktop").path],
        environment: folder.environment)
      #expect(run.succeeded, "\(run)")
      #expect(run.output == "")
    }
  }
}
