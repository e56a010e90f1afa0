import Foundation
import RallyDomain
import RallyMap
import RallyTestSupport
import RallyWire
import Testing

@testable import RallySystem
@testable import RallyWords
@testable import TerminalKit

struct PrintedMapTests {
  private let world = Viewport.wholeWorld(columns: 100, rows: 30)

  /// Ana in Paris a minute ago, Kenji in Tokyo an hour ago, Lu in Buenos Aires a day ago; me in Lisbon.
  private func markers(_ glyphs: GlyphSet) throws -> [MapMarker] {
    let positions = try [(48.86, 2.34, 60), (35.68, 139.69, 3600), (-34.6, -58.4, 80_000)]
      .enumerated().map { number, place in
        try position(number, place.0, place.1, ago: place.2)
      }
    let lisbon = try #require(Coordinate(latitude: 38.72, longitude: -9.14))
    return MapMarkers.markers(
      positions,
      me: LocationFix(coordinate: lisbon, recordedAt: Samples.time),
      glyphs: glyphs, at: Samples.time)
  }

  private func position(
    _ number: Int, _ latitude: Double, _ longitude: Double, ago seconds: Int
  ) throws -> FriendPosition {
    let record = LocationRecord(
      userID: Samples.id(number),
      coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)),
      accuracyMetres: nil, speed: nil, course: nil, battery: nil,
      recordedAt: Samples.time.advanced(by: .seconds(-seconds)), source: "manual",
      precision: .precise, version: 1)
    return try #require(FriendPosition(record, of: Samples.friend(number)))
  }

  @Test(arguments: [(100, 30), (80, 24), (60, 16), (300, 80), (7, 3), (1, 1)], GlyphSet.allCases)
  func `there is a line for each row, and none is wider than asked`(
    _ size: (columns: Int, rows: Int), _ glyphs: GlyphSet
  ) throws {
    let map = PrintedMap(
      .wholeWorld(columns: size.columns, rows: size.rows), markers: try markers(glyphs),
      options: MapOptions(glyphs: glyphs))
    let lines = map.lines()
    #expect(lines.count == size.rows)
    #expect(lines.allSatisfy { $0.cellWidth <= size.columns && $0.last != " " })
  }

  @Test(arguments: [36, 40, 60, 80, 120])
  func `the scale and what stands at the right of it never touch`(_ columns: Int) throws {
    let lisbon = GeoPoint(latitude: 38.72, longitude: -9.14)
    var isSaid = false
    for zoom in stride(from: 8.0, through: 20.0, by: 0.25) {
      let map = PrintedMap(
        Viewport(center: lisbon, zoom: zoom, columns: columns, rows: 9), markers: [],
        options: MapOptions())
      guard let scale = map.frame.scaleText(glyphs: .braille),
        let text = map.frame.attributionText()
      else { continue }
      isSaid = true
      #expect(scale.cellWidth + 2 + text.cellWidth <= columns, "\(scale) \(text) at \(zoom)")
      #expect(!text.hasSuffix("…"))
    }
    #expect(isSaid)
  }

  @Test(arguments: [
    (44, "© OpenStreetMap contributors, © OpenMapTiles"), (43, "© OpenStreetMap contributors"),
    (28, "© OpenStreetMap contributors"), (27, "© OpenStreetMap"), (12, "© OpenStree…"),
  ])
  func `who made the tiles is said in whole words where there is less room`(
    room: Int, words: String
  ) {
    let whole = "© OpenStreetMap contributors, © OpenMapTiles"
    #expect(MapFrame.attribution(whole, cells: room) == words)
  }

  @Test func `without colours the lines are the frame's, with the scale in the corner`() throws {
    let map = PrintedMap(world, markers: try markers(.braille), options: MapOptions())
    let lines = map.lines()
    #expect(Array(lines.dropLast()) == (0..<29).map(map.frame.line))
    #expect(lines.last?.hasPrefix("└") == true)
    let label = try #require(map.frame.scaleBar?.label)
    #expect(lines.last?.contains(label) == true)
    #expect(lines.contains { $0.contains("●ana") })
    #expect(lines.contains { $0.contains("○kenji") })
    #expect(lines.contains { $0.contains("◌lu") })
    #expect(lines.contains { $0.contains("@") })
  }

  @Test(arguments: [
    Viewport.wholeWorld(columns: 100, rows: 30),
    Viewport(
      center: GeoPoint(latitude: 52, longitude: 19), zoom: 6, columns: 120, rows: 40),
    Viewport(
      center: GeoPoint(latitude: -23.5, longitude: -46.6), zoom: 8, columns: 120, rows: 40),
  ])
  func `an ASCII map is ASCII, marks and names of cities included`(_ viewport: Viewport) throws {
    let map = PrintedMap(
      viewport, markers: try markers(.ascii), options: MapOptions(glyphs: .ascii))
    #expect(map.lines().joined().allSatisfy { $0.isASCII })
  }

  @Test func `marks of age are told apart in ASCII`() throws {
    #expect(try markers(.ascii).map(\.glyph) == ["*", "o", ".", "@"])
    #expect(try markers(.blocks).map(\.glyph) == ["●", "○", "◌", "@"])
    let lines = PrintedMap(
      world, markers: try markers(.ascii), options: MapOptions(glyphs: .ascii)
    ).lines()
    #expect(lines.contains { $0.contains("*ana") })
    #expect(lines.contains { $0.contains("okenji") })
    #expect(lines.contains { $0.contains(".lu") })
  }

  @Test func `the scale hides nobody`() throws {
    let low = Viewport.wholeWorld(columns: 20, rows: 5)
    let zoe = try position(0, -33.87, 151.2, ago: 60)
    let map = PrintedMap(
      low, markers: MapMarkers.markers([zoe], me: nil, at: Samples.time), options: MapOptions())
    #expect(map.lines().last?.contains("ana●") == true)
    #expect(map.lines().last?.contains("km") == false)
    let alone = PrintedMap(low, markers: [], options: MapOptions())
    #expect(alone.lines().last?.contains("km") == true)
  }

  @Test func `letters keep their shape where accents go`() throws {
    #expect(
      "São Łódź Troms\u{F8}e\u{301}".map { AsciiGlyphs.substitute(for: String($0), width: 1) }
        .joined()
        == "Sao Lodz Tromsoe")
  }

  @Test(arguments: [ColorMode.sixteen, .indexed])
  func `colours change nothing but the looks, and each line ends without one`(
    _ mode: ColorMode
  ) throws {
    let map = PrintedMap(world, markers: try markers(.braille), options: MapOptions())
    let coloured = map.lines(colorMode: mode)
    let sequence = try Regex("\u{1B}\\[[0-9;]*m")
    #expect(coloured.map { $0.replacing(sequence, with: "") } == map.lines())
    for line in coloured where line.contains("\u{1B}") {
      let last = try #require(line.matches(of: sequence).last)
      #expect(line[last.range] == "\u{1B}[m")
    }
    // A fresh friend is bold, in the terminal's own colour.
    #expect(coloured.contains { $0.contains("\u{1B}[0;1m●ana") })
  }

  @Test func `with 24 bits each colour is written by its three parts`() throws {
    let map = PrintedMap(
      world, markers: try markers(.braille), options: MapOptions(fillStyle: .background))
    let lines = map.lines(theme: .dark, colorMode: .direct)
    // The sea by day, under the scale too.
    #expect(lines.last?.contains("48;2;11;49;80m└") == true)
    #expect(lines.contains { $0.contains("48;2;11;49;80m") })
    #expect(!lines.contains { $0.contains("8;5;") })
  }

  @Test func `a look is one sequence that forgets the last one`() {
    #expect(Appearance().sequence == "\u{1B}[m")
    #expect(Appearance(foreground: 1, attributes: .bold).sequence == "\u{1B}[0;1;31m")
    #expect(Appearance(foreground: 243, background: 7).sequence == "\u{1B}[0;38;5;243;47m")
  }
}
