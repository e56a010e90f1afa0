import RallyMap
import Testing

@testable import RallyStreets

@Suite struct StreetAddressTests {
  private let monaco: [GroundTile]

  init() throws {
    monaco = try StreetFixtures.tileNames.filter { $0.hasPrefix("monaco-14-") }.map { name in
      try GroundTile(vectorTile: StreetFixtures.tile(name), at: StreetFixtures.address(name))
    }
  }

  @Test(arguments: [
    (43.7357, 7.4198, "Rue Grimaldi, Monaco"),
    (43.7392, 7.4277, "Place du Casino, Monaco"),
    (43.7301, 7.4235, "Avenue Saint-Martin, Monaco"),
  ])
  func `a point in Monaco has an address`(latitude: Double, longitude: Double, text: String) {
    let point = GeoPoint(latitude: latitude, longitude: longitude)
    #expect(monaco.address(of: point).text == text)
  }

  @Test func `far from streets an address has only the town, and far from towns nothing`() {
    let harbour = GeoPoint(latitude: 43.7290, longitude: 7.4300)
    #expect(monaco.street(near: harbour) == nil)
    #expect(monaco.address(of: harbour).text == "Monaco")
    let sea = GeoPoint(latitude: 43.5, longitude: 7.6)
    #expect(monaco.address(of: sea) == StreetAddress())
    #expect(monaco.address(of: sea).text == nil)
    #expect([GroundTile]().address(of: harbour) == StreetAddress())
  }

  @Test func `a street counts up to the limit, in metres`() throws {
    // Given a street along the tile's northern edge.
    let tile = try Self.tile(.line([(0, 0), (4_096, 0)]), "transportation_name", "minor", "Rue")
    let edge = tile.geoPoint(x: 2_048, y: 0)
    for distance in [0.0, 59, 61, 500] {
      let point = edge.destination(bearing: 180, distance: distance)
      #expect([tile].street(near: point, within: 60) == (distance < 60 ? "Rue" : nil))
      #expect([tile].street(near: point, within: 501) == "Rue")
    }
  }

  @Test func `the nearer of two streets counts, whichever tile has it`() throws {
    let first = try Self.tile(.line([(0, 0), (0, 99)]), "transportation_name", "minor", "A")
    let second = try Self.tile(.line([(40, 0), (40, 99)]), "transportation_name", "path", "B")
    for (x, street) in [(5.0, "A"), (19, "A"), (21, "B"), (45, "B")] {
      let point = first.geoPoint(x: x, y: 50)
      #expect([first, second].street(near: point) == street)
      #expect([second, first].street(near: point) == street)
    }
  }

  @Test func `a town counts before a quarter, and a city reaches further than a village`() throws {
    let quarter = try Self.tile(.point(0, 0), "place", "suburb", "Quarter")
    let village = try Self.tile(.point(0, 0), "place", "village", "Village")
    let city = try Self.tile(.point(4_000, 0), "place", "city", "City")
    let point = village.geoPoint(x: 0, y: 0)
    #expect([quarter, city].place(near: point) == "City")
    #expect([quarter].place(near: point) == "Quarter")
    #expect([city, village].place(near: point) == "Village")
    // 1.3 km from the village and 0.5 km from the city's middle.
    #expect([city, village].place(near: village.geoPoint(x: 3_000, y: 0)) == "City")
    #expect([quarter].place(near: point.destination(bearing: 0, distance: 1_600)) == nil)
    // On the village's rim the quarter is surer, unless there is none.
    let rim = point.destination(bearing: 0, distance: 1_100)
    #expect([quarter, village].place(near: rim) == "Quarter")
    #expect([village].place(near: rim) == "Village")
  }

  @Test func `tiles beside the antimeridian are near each other`() throws {
    let last = try #require(TileAddress(zoom: 14, x: (1 << 14) - 1, y: 5_974))
    let bytes = TileWriter.tile(
      TileWriter.Layer(
        name: "transportation_name",
        features: [
          (.line([(4_095, 0), (4_095, 99)]), ["class": .text("minor"), "name": .text("Rue")])
        ]))
    let tile = try GroundTile(vectorTile: bytes, at: last)
    let beyond = WorldPoint(x: 1e-9, y: last.origin.y).geoPoint
    #expect([tile].street(near: beyond) == "Rue")
  }

  @Test func `a point that is none has no address`() {
    let nowhere = GeoPoint(latitude: .nan, longitude: .nan)
    #expect(monaco.address(of: nowhere) == StreetAddress())
  }

  static func tile(
    _ shape: TileWriter.Shape, _ layer: String, _ kind: String, _ name: String
  ) throws -> GroundTile {
    try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: layer, features: [(shape, ["class": .text(kind), "name": .text(name)])])))
  }
}
