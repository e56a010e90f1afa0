import Foundation
import Testing

/// Python's `mapbox-vector-tile` and `shapely`, run by `Tests/Compatibility/tiles.py`.
enum PythonDecoder {
  private static let build = StreetFixtures.project.appendingPathComponent(".build")

  static let isSkipped = FileManager.default.fileExists(
    atPath: build.appendingPathComponent("python-skipped").path)

  /// Runs the script on a tile.
  ///
  /// - Returns: The lines that it printed.
  static func lines(_ command: String, tile bytes: [UInt8]) throws -> [Substring] {
    let python = build.appendingPathComponent("python/bin/python")
    try #require(
      FileManager.default.isExecutableFile(atPath: python.path),
      "Run Scripts/python-environment first, as make test does")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(
      "rally-tile-\(UUID().uuidString).mvt")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = python
    process.arguments = [
      StreetFixtures.project.appendingPathComponent("Tests/Compatibility/tiles.py").path, command,
      file.path,
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "the independent decoder failed")
    return String(decoding: printed, as: UTF8.self).split(separator: "\n")
  }
}
