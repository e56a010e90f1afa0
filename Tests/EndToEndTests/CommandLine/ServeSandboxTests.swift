import Foundation
import RallyTestSupport
import RallyText
import RallyWire
import Testing

extension EndToEnd {
  /// What a server gives up outside of a service manager, and what operators leave behind.
  @Suite struct ServeSandboxTests {
    /// The threads of a process that may still gain rights; nil where the kernel does not tell.
    private func threadsWithPrivileges(_ process: pid_t) throws -> [String] {
      let tasks = "/proc/\(process)/task"
      return try FileManager.default.contentsOfDirectory(atPath: tasks).filter { task in
        let status = try? String(contentsOfFile: "\(tasks)/\(task)/status", encoding: .utf8)
        return status.map { !$0.contains("NoNewPrivs:\t1\n") } ?? false
      }
    }

    @Test func `no thread of a server can gain privileges, and it serves`() async throws {
      let served = try await ServedRally("--log-level", "notice")
      #expect(try threadsWithPrivileges(served.command.processID) == [])
      try await served.home("ana").must("whoami", "--json")
      #expect(try threadsWithPrivileges(served.command.processID) == [])
      #expect(served.command.snapshot.errorText.contains("gave up new privileges"))
    }

    @Test func `a server writes nowhere but in its folder`() async throws {
      let folder = try TemporaryFolder()
      let (data, outside) = (folder.file("server"), folder.file("outside.db"))
      try FileManager.default.createDirectory(
        atPath: data, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      // The way out: a database that lies elsewhere.
      try FileManager.default.createSymbolicLink(
        atPath: data + "/rally.db", withDestinationPath: outside)
      let command = try RunningCommand(
        RallyBinary.required(),
        [
          "serve", "--data", data, "--host", "127.0.0.1", "--port", "0", "--log-level", "notice",
        ], environment: folder.environment)
      defer { command.signal(SIGKILL) }
      let line = try? await command.firstLine()
      // A kernel without Landlock lets it through.
      guard command.snapshot.errorText.contains("gave up writing outside of") else { return }
      #expect(line == nil)
      #expect(try await command.waitForExit() == .exited(1))
      #expect(!FileManager.default.fileExists(atPath: outside))
    }

    @Test func `operators' acts are printed with who did them`() async throws {
      let served = try await ServedRally()
      let home = try await served.home("ana")
      let data = ["--data", served.folder.file("server")]
      var environment = home.environment
      environment["SUDO_USER"] = "op\u{1B}[2Jerator"
      for arguments in [["users", "disable", "ana", "--yes"], ["users", "enable", "ana"]] {
        let run = try await CommandRun.of(
          RallyBinary.required(), ["serve"] + arguments + data, environment: environment)
        #expect(run.status == .exited(0))
      }
      let list = try await CommandRun.of(
        RallyBinary.required(), ["serve", "audit", "--json"] + data, environment: environment)
      let entries = try WireJSON.decode([JSONValue].self, from: Data(list.output.utf8))
      #expect(entries.map { $0["act"] } == ["disable", "enable"])
      #expect(entries.allSatisfy { $0["account"]?.string != nil })
      // Only root is believed to have it from sudo.
      #expect(entries.allSatisfy { ($0["sudo_user"] != nil) == (getuid() == 0) })
      let page = try await CommandRun.of(
        RallyBinary.required(), ["serve", "audit", "--limit", "1"] + data,
        environment: environment)
      #expect(page.output.contains("enable") && !page.output.contains("disable"))
      #expect(!page.output.contains("\u{1B}"))
    }
  }
}
