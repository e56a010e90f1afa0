import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// `rally status`, beside an open interface and without one.
  @Suite struct StatusVerbTests {
    private func follow(_ home: Home, _ arguments: String...) throws -> RunningCommand {
      try RunningCommand(
        RallyBinary.required(), ["status", "--follow"] + arguments + home.flags,
        environment: home.environment)
    }

    private func lines(_ command: RunningCommand) -> [String] {
      command.snapshot.outputText.split(separator: "\n").map(String.init)
    }

    @Test func `it needs an account, something known, and a format that exists`() async throws {
      let home = try Home()
      let nobody = try await home.rally("status")
      #expect(nobody.status == .exited(3))
      #expect(nobody.errors.contains("You are not signed in."))
      #expect(try await home.rally("status", "--follow").status == .exited(3))
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let early = try await ana.rally("status")
      #expect(early.status == .exited(1))
      #expect(early.errors.contains("Nothing is known of this account yet."))
      for format in ["{nobody}", "plain", "{near"] {
        #expect(try await ana.rally("status", "--format", format).status == .exited(2))
      }
      #expect(try await ana.rally("status", "--json", "--format", "tmux").status == .exited(2))
    }

    @Test func `a change by somebody else is a line, and so is the end of the interface`()
      async throws
    {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let bob = try await served.home("bob")
      let session = try await ana.open()
      try await session.waitUntilLive()
      let status = try follow(ana, "--format", "{requests}{age? old}")
      try await eventually("nothing waits") { lines(status).last == "0" }
      try await bob.must("friends", "add", "ana")
      try await eventually("the request") { lines(status).last == "1" }
      #expect(try await ana.must("status", "--format", "{requests}{age? old}").output == "1\n")
      let report = try await ana.must("status", "--json").json()
      #expect(report["requests"] == 1)
      #expect(report["is_current"] == true)
      #expect(report["username"] == "ana")

      // Nothing changes, so nothing wakes up, whatever else is done meanwhile.
      // What began with the last line may still come to rest.
      try await eventually("a while without a wake-up") {
        let before = try sleeps(of: status.processID)
        for _ in 0..<20 { try await ana.must("status") }
        return try sleeps(of: status.processID) == before
      }

      session.send(":quit\r")
      _ = try await session.waitForExit()
      try await eventually("it is old") { lines(status).last == "1 old" }
      #expect(try await ana.must("status").output.contains("as of"))
      status.signal(SIGTERM)
      #expect(try await status.waitForExit() == .exited(0))
      #expect(status.snapshot.errorText == "")
      try await ana.must("logout")
      #expect(try await ana.rally("status").status == .exited(3))
    }

    @Test func `it ends when nobody reads it, and survives a killed interface`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let session = try await ana.open()
      try await session.waitUntilLive()
      let status = try follow(ana, "--format", "{age?old}{age?}{near}")
      try await eventually("it is current") { lines(status).last == "0" }
      session.signal(SIGKILL)
      try await eventually("it is old") { lines(status).last == "old0" }
      status.signal(SIGINT)
      #expect(try await status.waitForExit() == .exited(0))
      let arguments = ana.flags.map { "'\($0)'" }.joined(separator: " ")
      let run = try await CommandRun.of(
        "sh", ["-c", "'\(RallyBinary.required())' status --follow \(arguments) | head -n 1"],
        environment: ana.environment)
      #expect(run.succeeded)
      #expect(run.errors == "")
      #expect(run.output.contains("seen by nobody"))
    }

    @Test(.enabled(if: Tmux.isInstalled))
    func `tmux shows hostile titles as they are, and runs nothing of them`() async throws {
      let served = try await ServedRally()
      let ana = try await served.home("ana")
      let owned = ana.folder.file("owned")
      let title = "#[fg=red]#(touch owned)#{pane_id}##[x]"
      try await ana.must(
        "missions", "new", "--title", title, "--at", "38.7,-9.1", "--starts", "+3h")
      let session = try await ana.open()
      try await session.waitUntilLive()
      try await eventually("it is kept") { try await ana.rally("status").output.contains("#[fg") }

      let flags = ana.flags.map { "'\($0)'" }.joined(separator: " ")
      try Data(
        """
        set -g status-left ""
        set -g status-right "#(\(RallyBinary.required()) status --format tmux \(flags))"
        set -g status-right-length 150
        set -g status-interval 1
        """.utf8
      ).write(to: URL(filePath: ana.folder.file("tmux.conf")))
      var environment = ana.environment
      environment["TERM"] = "xterm-256color"
      let tmux = try await PtySession(
        "tmux",
        [
          "-u", "-S", ana.folder.file("tmux"), "-f", ana.folder.file("tmux.conf"), "new-session",
          "cd '\(ana.folder.path)'; exec sleep 600",
        ], environment: environment, rows: 10, columns: 160, keeping: ana)
      try await tmux.waitFor(title)
      try await tmux.waitFor("seen by nobody")
      #expect(!FileManager.default.fileExists(atPath: owned))
      _ = try await CommandRun.of(
        "tmux", ["-S", ana.folder.file("tmux"), "kill-server"], environment: environment)
    }

    /// How often each thread of a process went to sleep by itself.
    private func sleeps(of process: pid_t) throws -> [String: String] {
      let folder = "/proc/\(process)/task"
      var counts: [String: String] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let status = try String(contentsOfFile: "\(folder)/\(name)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
        counts[name] = line.map(String.init)
      }
      return counts
    }
  }
}
