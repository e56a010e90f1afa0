import Foundation
import Testing

/// Independent readers of tiles and archives, run by scripts in `Tests/Compatibility`.
enum PythonDecoder {
  private static let build = StreetFixtures.project.appendingPathComponent(".build")

  static let isSkipped = FileManager.default.fileExists(
    atPath: build.appendingPathComponent("python-skipped").path)

  /// Runs `tiles.py` (`mapbox-vector-tile` and `shapely`) on a tile.
  ///
  /// - Returns: The lines that it printed.
  static func lines(_ command: String, tile bytes: [UInt8]) throws -> [Substring] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "rally-tile-\(UUID().uuidString).mvt")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try lines(of: "tiles.py", command, file.path)
  }

  /// Runs a script.
  ///
  /// - Returns: The lines that it printed.
  static func lines(of script: String, _ arguments: String...) throws -> [Substring] {
    let python = build.appendingPathComponent("python/bin/python")
    try #require(
      FileManager.default.isExecutableFile(atPath: python.path),
      "Run Scripts/python-environment first, as make test does")
    let process = Process()
    process.executableURL = python
    let folder = StreetFixtures.project.appendingPathComponent("Tests/Compatibility")
    process.arguments = [folder.appendingPathComponent(script).path] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(script) failed")
    return String(decoding: printed, as: UTF8.self).split(separator: "\n")
  }
}
