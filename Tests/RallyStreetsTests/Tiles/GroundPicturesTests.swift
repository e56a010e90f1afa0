import Foundation
import RallyMap
import Testing

@testable import RallyStreets

/// Frames of real places, compared with files that people can look at.
///
/// `RALLY_RECORD_PICTURES=1 swift test --filter GroundPictures` writes them anew.
@Suite struct GroundPicturesTests {
  struct Picture: CustomTestStringConvertible, Sendable {
    var place: String
    var zoom: Double
    var size: (columns: Int, rows: Int)
    var mode: String

    var name: String { "\(place)-z\(Int(zoom))-\(size.columns)x\(size.rows)-\(mode)" }
    var testDescription: String { name }
  }

  private static let pictures: [Picture] = {
    var pictures: [Picture] = []
    for place in ["monaco", "paris"] {
      for mode in ["dots", "painted", "ascii"] {
        for zoom in [12.0, 14, 16] {
          pictures.append(Picture(place: place, zoom: zoom, size: (80, 24), mode: mode))
        }
        for size in [(60, 16), (120, 40)] {
          pictures.append(Picture(place: place, zoom: 16, size: size, mode: mode))
        }
      }
    }
    return pictures
  }()

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Pictures")

  @Test(arguments: pictures) func `a place near by looks as it did`(picture: Picture) async throws {
    let drawn = try await Self.drawn(picture)
    let file = Self.folder.appendingPathComponent("\(picture.name).txt")
    if ProcessInfo.processInfo.environment["RALLY_RECORD_PICTURES"] != nil {
      try Data(drawn.utf8).write(to: file)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(drawn == expected, "\(picture.name):\n\(drawn)")
  }

  private static func drawn(_ picture: Picture) async throws -> String {
    let shelf = try StreetShelf()
    if picture.place == "monaco" { try shelf.addMonaco() } else { try shelf.addParis() }
    let viewport = Viewport(
      center: picture.place == "monaco" ? StreetShelf.monaco : StreetShelf.paris,
      zoom: picture.zoom, columns: picture.size.columns, rows: picture.size.rows)
    let ground = try #require(
      await StreetTiles(folder: shelf.folder.path).ground(for: viewport))
    let frame = MapRenderer().frame(
      viewport, ground: ground,
      options: MapOptions(
        glyphs: picture.mode == "ascii" ? .ascii : .braille,
        fillStyle: picture.mode == "painted" ? .background : .stipple))
    return frame.text + "\n" + (picture.mode == "painted" ? areas(of: frame) : "")
      + frame.groundAttribution + "\n"
  }

  /// What lies under the cells, the upper half of each.
  private static func areas(of frame: MapFrame) -> String {
    var text = ""
    for row in 0..<frame.rows {
      for column in 0..<frame.columns { text.append(letter(of: frame[column, row].upperFill)) }
      text.append("\n")
    }
    return text
  }

  private static func letter(of fill: MapFill) -> Character {
    switch fill {
    case .none: " "
    case .sea: "~"
    case .land, .town: "."
    case .park: "g"
    case .water: "w"
    case .building: "b"
    case .unreadable: "?"
    }
  }
}
