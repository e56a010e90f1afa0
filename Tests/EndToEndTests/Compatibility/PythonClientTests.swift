import Foundation
import RallyTestSupport
import RallyWire
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

    // It makes more missions in a minute than a person would.
    private static let budgets = [
      "missions-per-minute=3000", "mission-changes-per-minute=3000",
    ]

    private static func run(_ url: String, _ key: String, _ more: String...) async throws {
      let python = try #require(path(".build/python/bin/python"))
      try #require(
        FileManager.default.isExecutableFile(atPath: python),
        "Run Scripts/python-environment first, as make test does")
      let folder = try TemporaryFolder()
      let run = try await CommandRun.of(
        python, [try #require(path("Tests/Compatibility/smoke.py")), url, key] + more,
        environment: folder.environment, timeout: .seconds(180))
      #expect(run.succeeded, "\(run)")
    }

    @Test(
      .disabled(
        if: isSkipped, "the official Python client cannot be had here: see .build/python-skipped"),
      arguments: [1, 3])
    func `the official Python client uses all that is offered, by one server and by several`(
      _ count: Int
    ) async throws {
      guard count > 1 else {
        let server = try ServerProcess()
        try await server.start(Self.budgets.flatMap { ["--budget", $0] })
        let announcement = try #require(await server.announcement)
        return try await Self.run(announcement.url, announcement.key)
      }
      let cluster = try await ServerCluster(of: count, budgets: Self.budgets)
      var (ports, key): ([Int], String) = ([], "")
      for node in cluster.nodes {
        let announcement = try #require(await node.announcement)
        ports.append(try #require(URL(string: announcement.url)?.port))
        key = announcement.key
      }
      // Each call and each socket meets a random one.
      let balancer = try await FaultProxy(ports.map { .tcp(port: $0) })
      try await Self.run(balancer.url, key, "separate")
      try await cluster.terminate()
    }
  }
}
