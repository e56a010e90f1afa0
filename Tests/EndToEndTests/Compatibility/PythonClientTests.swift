import Foundation
import RallyTestSupport
import Testing

extension EndToEnd {
  @Suite struct PythonClientTests {
    /// The package's folder, found from the built tests: the first above them with a manifest.
    private static let package: URL? = {
      guard let binary = RallyBinary.path else { return nil }
      var folder = URL(fileURLWithPath: binary).deletingLastPathComponent()
      while folder.path != "/" {
        let manifest = folder.appendingPathComponent("Package.swift").path
        if FileManager.default.fileExists(atPath: manifest) { return folder }
        folder.deleteLastPathComponent()
      }
      return nil
    }()

    private static func path(_ name: String) -> String? {
      package?.appendingPathComponent(name).path
    }

    private static let isSkipped =
      path(".build/python-skipped").map(
        FileManager.default.fileExists(atPath:)) ?? false

    @Test(
      .disabled(
        if: isSkipped, "the official Python client cannot be had here: see .build/python-skipped"))
    func `the official Python client uses all that the server offers`() async throws {
      let python = try #require(Self.path(".build/python/bin/python"))
      try #require(
        FileManager.default.isExecutableFile(atPath: python),
        "Run Scripts/python-environment first, as make test does")
      // It makes more missions in a minute than a person would.
      let served = try await ServedRally(
        "--budget", "missions-per-minute=3000", "--budget", "mission-changes-per-minute=3000")
      let run = try await CommandRun.of(
        python,
        [
          try #require(Self.path("Tests/Compatibility/smoke.py")), served.announcement.url,
          served.announcement.key,
        ], environment: served.folder.environment, timeout: .seconds(180))
      #expect(run.succeeded, "\(run)")
    }
  }
}
