import Foundation
import RallyTestSupport
import Testing

struct CommandRunTests {
  private let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]

  @Test func `input, output, errors and status are kept apart`() async throws {
    let run = try await CommandRun.of(
      "sh", ["-c", "cat; echo talk >&2; exit 3"], environment: environment, input: "data\n")
    #expect(run.status == .exited(3))
    #expect(run.output == "data\n")
    #expect(run.errors == "talk\n")
  }

  @Test func `a command has no terminal to ask`() async throws {
    let run = try await CommandRun.of(
      "sh", ["-c", "exec </dev/tty"], environment: environment)
    #expect(!run.succeeded)
  }

  @Test func `only the given environment is there`() async throws {
    let run = try await CommandRun.of("env", [], environment: ["PATH": "/usr/bin", "A": "b"])
    #expect(run.output.split(separator: "\n").sorted() == ["A=b", "PATH=/usr/bin"])
  }

  @Test func `a command that does not end is an error`() async throws {
    await #expect(throws: ProcessFailure.self) {
      try await CommandRun.of(
        "sleep", ["600"], environment: environment, timeout: .milliseconds(50))
    }
  }

  @Test func `a running command's first line is read and it ends by a signal`() async throws {
    let command = try RunningCommand(
      "sh", ["-c", "echo ready; exec sleep 600"], environment: environment)
    #expect(try await command.firstLine() == "ready")
    command.signal(SIGTERM)
    #expect(try await command.waitForExit() == .signalled(SIGTERM))
  }

  @Test func `a temporary folder is private and removed`() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let path = try #require(folder?.path)
    #expect(folder?.permissions(of: "run") == 0o700)
    #expect(FileManager.default.fileExists(atPath: path))
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: path))
  }
}
