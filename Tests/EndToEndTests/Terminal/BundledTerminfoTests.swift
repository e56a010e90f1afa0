import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  /// Descriptions of terminals that lie beside the program.
  @Suite struct BundledTerminfoTests {
    @Test func `a terminal that only the program's own folder knows is drawn on`() async throws {
      let home = try Home()
      let type = "rally-test-terminal"
      let (client, places) = (
        home.folder.file("bin/rally"), home.folder.file("share/rally/terminfo")
      )
      for folder in [home.folder.file("bin"), places] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      }
      if link(try RallyBinary.required(), client) != 0 {
        try FileManager.default.copyItem(atPath: RallyBinary.required(), toPath: client)
      }
      try FileManager.default.createSymbolicLink(
        atPath: home.folder.file("bin/rally-server"), withDestinationPath: RallyBinary.server())
      func open() async throws -> PtySession {
        try await PtySession(
          "/usr/bin/env", ["TERM=\(type)", client], environment: home.environment, rows: 24,
          columns: 80, keeping: home)
      }
      let unknown = try await open()
      #expect(try await unknown.waitForExit() == .exited(2))
      #expect(unknown.screen.text.contains("is not known here"))
      let compiled = try await CommandRun.of(
        "tic", ["-x", "-o", places, "-"], environment: home.environment,
        input: "\(type)|a terminal of a test,\n\tuse=xterm-256color,\n")
      #expect(compiled.succeeded, "\(compiled)")
      let known = try await open()
      try await known.waitFor("New account")
    }
  }
}
