import Foundation
import RallyWire

/// Draws the pictures of the README and the documentation from demo data, a fixed seed and a
/// stopped clock, so that every run writes the same bytes.
@main
struct Pictures {
  /// An afternoon in Lisbon: day and night are both on the map.
  private static let moment = WireTime("2026-05-09T16:41:00Z")

  @MainActor static func main() async throws {
    let folder = CommandLine.arguments.dropFirst().first ?? "docs/pictures"
    // Times of day are shown in the local time zone.
    setenv("TZ", "UTC", 1)
    tzset()
    guard let moment else { throw CocoaError(.formatting) }
    WallClock.stop(at: moment)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let studio = try await Studio(at: moment)
    do {
      for picture in try await studio.pictures() {
        let path = "\(folder)/\(picture.name).svg"
        try Data(picture.svg.utf8).write(to: URL(fileURLWithPath: path))
        print("\(path)  \(picture.svg.utf8.count / 1000) kB")
      }
      await studio.close()
    } catch {
      await studio.close()
      throw error
    }
  }
}
