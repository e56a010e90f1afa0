import Foundation
import RallyMap
import Testing

@testable import RallyStreets

/// The fixtures of this target, and the project around it.
enum StreetFixtures {
  static let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// A tile of `mvt/`, by its number.
  static func faultyTile(_ number: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent("mvt/\(number).mvt")))
  }

  static var faultyTileNumbers: Set<String> {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent("mvt").path)
      return Set(names.filter { $0.hasSuffix(".mvt") }.map { String($0.dropLast(4)) })
    }
  }

  /// A tile of `tiles/`, unzipped.
  static func tile(_ name: String) throws -> [UInt8] {
    let file = folder.appendingPathComponent("tiles/\(name).mvt.gz")
    return try Gzip.unpacked(
      [UInt8](try Data(contentsOf: file)), limit: TileLimits.unpackedTile, subject: "A tile")
  }

  /// All tiles of `tiles/`, by name.
  static var tileNames: [String] {
    get throws {
      let names = try FileManager.default.contentsOfDirectory(
        atPath: folder.appendingPathComponent("tiles").path)
      return names.filter { $0.hasSuffix(".mvt.gz") }.map { String($0.dropLast(7)) }.sorted()
    }
  }

  /// The address in a tile's name.
  static func address(_ name: String) throws -> TileAddress {
    let numbers = name.split(separator: "-").compactMap { Int($0) }
    try #require(numbers.count == 3)
    return try #require(TileAddress(zoom: numbers[0], x: numbers[1], y: numbers[2]))
  }

  static let monaco = "monaco-14-8529-5974"
  /// The densest tiles of Paris.
  static let paris = ["paris-14-8298-5634", "paris-14-8298-5635", "paris-14-8299-5635"]
}
