import Foundation
import RallyCommand
import RallyTestSupport
import Testing

extension EndToEnd {
  /// What the operating system refuses is an error with its reason.
  @Suite struct SystemRefusalTests {
    @Test(arguments: ["--version", "--help", "keys", "config dump"])
    func `output that cannot be written ends the program`(_ arguments: String) async throws {
      let home = try Home()
      let run = try await CommandRun.of(
        "/bin/sh", ["-c", "exec '\(try RallyBinary.required())' \(arguments) > /dev/full"],
        environment: home.environment)
      #expect(run.status == .exited(1))
      #expect(run.errors == "rally: Standard output cannot be written (no space left on device).\n")
    }

    @Test func `output waits for a reader that is slower, where others made it not wait`() throws {
      let pipe = Pipe()
      let writing = pipe.fileHandleForWriting
      #expect(fcntl(writing.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
      // More than a pipe holds.
      let text = String(repeating: "0123456789abcdef", count: 65_536)
      Thread.detachNewThread {
        Output.write(text, to: writing.fileDescriptor)
        try? writing.close()
      }
      #expect(try pipe.fileHandleForReading.readToEnd() == Data(text.utf8))
    }

    @Test func `a folder that cannot be used is named, by verbs and by the interface`() async throws
    {
      let home = try Home()
      let folder = home.folder.file("state/rally")
      try Data().write(to: URL(filePath: folder))
      let file = "\(folder)/profiles/default/server.json"
      let sentence = "\(file) cannot be used (not a directory)."
      let run = try await home.rally("whoami")
      #expect(run.status == .exited(1))
      #expect(run.errors.hasPrefix("rally: \(sentence)\nLook at its rights"))
      let session = try await home.open()
      #expect(try await session.waitForExit() == .exited(1))
      #expect(session.screen.text.contains("cannot be used"))
    }

    @Test func `a damaged memory of servers is told and kept aside`() async throws {
      let home = try Home()
      let folder = home.folder.file("state/rally/profiles/default")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("{".utf8).write(to: URL(filePath: "\(folder)/server.json"))
      let run = try await home.rally("whoami")
      #expect(
        run.errors.hasPrefix("server.json is damaged. It is kept as \(folder)/server.damaged"))
      #expect(FileManager.default.fileExists(atPath: "\(folder)/server.damaged.json"))
      #expect(try await home.rally("whoami").errors.contains("damaged") == false)
    }

    @Test func `why the server on this machine ends is said at once`() async throws {
      let home = try Home()
      defer { for server in home.servers { kill(server, SIGKILL) } }
      let database = home.folder.file("data/rally/rally.db")
      try FileManager.default.createDirectory(
        atPath: home.folder.file("data/rally"), withIntermediateDirectories: true)
      try Data(repeating: 7, count: 8192).write(to: URL(filePath: database))
      let run = try await home.rally(
        "signup", "--username", "ana", "--password-stdin", input: Home.password + "\n")
      #expect(run.errors.contains("The database at \(database) is damaged, or is none."), "\(run)")
    }
  }
}
