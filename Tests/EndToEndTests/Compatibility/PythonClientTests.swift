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

    private static var python: String? {
      let path = package?.appendingPathComponent(".build/python/bin/python").path
      return path.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
    }

    @Test(
      .enabled(
        if: python != nil,
        "the official Python client is not installed in .build/python; make test does that"))
    func `the official Python client signs up, befriends and sees the change`() async throws {
      let python = try #require(Self.python)
      let package = try #require(Self.package)
      let served = try await ServedRally()
      let run = try await CommandRun.of(
        python,
        [
          package.appendingPathComponent("Tests/Compatibility/smoke.py").path,
          served.announcement.url, served.announcement.key,
        ], environment: served.folder.environment, timeout: .seconds(120))
      #expect(run.succeeded, "\(run)")
    }
  }
}
