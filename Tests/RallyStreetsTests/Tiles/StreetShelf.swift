import Foundation
import RallyMap

@testable import RallyStreets

/// A folder with archives of streets, as the program keeps it.
struct StreetShelf {
  let folder: ArchiveFolder

  init() throws { folder = try ArchiveFolder() }

  /// Monaco, zooms 0 to 14.
  func addMonaco(as name: String = "monaco") throws {
    _ = try folder.file("\(name).pmtiles", try ArchiveFixtures.bytes("monaco.pmtiles"))
  }

  /// Three dense tiles of Paris at zoom 14.
  func addParis() throws {
    try add(
      "paris",
      StreetFixtures.paris.map { (try StreetFixtures.address($0), try StreetFixtures.tile($0)) })
  }

  /// An archive of the tiles given.
  func add(_ name: String, _ tiles: [(address: TileAddress, bytes: [UInt8])]) throws {
    let writer = try PMTilesWriter(
      path: "\(folder.path)/\(name).pmtiles", bounds: .world,
      metadata: Array(#"{"attribution":"© OpenStreetMap"}"#.utf8), isPacked: false)
    for tile in tiles { try writer.add(tile.address, tile.bytes) }
    try writer.finish()
  }

  static let monaco = GeoPoint(latitude: 43.7347, longitude: 7.4206)
  /// In the middle of the tiles of Paris.
  static let paris = GeoPoint(latitude: 48.8660, longitude: 2.3400)
}
