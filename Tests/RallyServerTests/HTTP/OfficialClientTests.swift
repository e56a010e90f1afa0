import Foundation
import RallyTestSupport
import Testing

/// Where the package and its Python are.
private enum Installed {
  static let root = String(
    URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst())
  static let python =
    ProcessInfo.processInfo.environment["RALLY_PYTHON"] ?? "\(root)/.build/python/bin/python"
  static var hasPython: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// The official Python client, where it was installed (`Tests/Compatibility/requirements.txt`).
@Suite(.enabled(if: Installed.hasPython)) struct OfficialClientTests {
  @Test func `the official Python client befriends, listens and is present`() async throws {
    try await TestServer.with { server in
      let process = Process()
      process.executableURL = URL(filePath: Installed.python)
      process.arguments = [
        "\(Installed.root)/Tests/Compatibility/smoke.py", server.url, server.key,
      ]
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      let status = try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
      }
      let text = String(
        decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(status == 0, "\(text)")
    }
  }
}
