import RallyMap
import Testing

@testable import RallyStreets

@Suite struct GroundTileTests {
  private let square = [(0, 0), (10, 0), (10, 10), (0, 10)]

  @Test func `a tile of an unknown schema is empty`() throws {
    let bytes = TileWriter.tile(
      TileWriter.Layer(name: "contour", features: [(.line([(0, 0), (9, 9)]), [:])]))
    let tile = try GroundTile.decoded(bytes)
    #expect(tile.shapes.isEmpty && tile.labels.isEmpty && tile.names.isEmpty)
    #expect(try GroundTile.decoded([]).shapes.isEmpty)
  }

  @Test func `layers that are not drawn are passed over, whatever is in them`() throws {
    let bytes = TileWriter.tile(
      TileWriter.Layer(name: "building", features: [(.polygon([square]), [:])]))
    // A layer with a feature and a value that nobody could decode.
    let damaged: [UInt8] =
      TileWriter.message(1, Array("housenumber".utf8)) + [15 << 3, 2]
      + TileWriter.message(2, [0xFF, 0xFF]) + TileWriter.message(4, [0xFF])
    let tile = try GroundTile.decoded(TileWriter.message(3, damaged) + bytes)
    #expect(tile.shapeKinds == [.building])
  }

  @Test func `water that covers the tile covers it after decoding`() throws {
    for reach in [0, 64, 5_000, 1 << 29] {
      let (low, high) = (-reach, 4_096 + reach)
      let ring = [(low, low), (high, low), (high, high), (low, high)]
      let tile = try GroundTile.decoded(
        TileWriter.tile(
          TileWriter.Layer(
            name: "water", features: [(.polygon([ring]), ["class": .text("ocean")])])))
      for (x, y) in [(0.5, 0.5), (4_095.5, 0.5), (2_048.5, 4_095.5)] {
        #expect(tile.fills(.water, x: x, y: y), "reaching \(reach) beyond")
      }
    }
  }

  @Test func `rings and runs that cannot be seen are dropped`() throws {
    // Given a ring of two points, one of equal points, one that repeats its first point, a line
    // whose points are equal, and a line with a point twice.
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "building",
          features: [
            (.polygon([[(0, 0), (9, 9)]]), [:]),
            (.polygon([[(5, 5), (5, 5), (5, 5), (5, 5)]]), [:]),
            (.polygon([square + [(0, 0)], [(3, 3), (4, 4)]]), [:]),
          ]),
        TileWriter.Layer(
          name: "transportation",
          features: [
            (.line([(7, 7), (7, 7)]), ["class": .text("minor")]),
            (.line([(7, 7), (7, 7), (8, 8)]), ["class": .text("minor")]),
          ])))
    #expect(tile.shapeTexts == ["building 0,0 10,0 10,10 0,10", "street 7,7 8,8"])
    #expect(tile.vertices.count == 6 && tile.parts.count == 2)
    #expect(tile.shapes[0].high == GroundTile.Vertex(x: 10, y: 10))
  }

  @Test func `coordinates of any extent are brought to one that fits, and never wrap around`()
    throws
  {
    let line = TileWriter.Shape.line([(0, 65_536), (1 << 29, -(1 << 29))])
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "transportation", extent: 65_536, features: [(line, ["class": .text("minor")])]),
        TileWriter.Layer(
          name: "building", features: [(.polygon([[(0, 0), (4_096, 0), (4_096, 2)]]), [:])])))
    #expect(tile.extent == 16_384)
    #expect(
      tile.shapeTexts == [
        "street 0,16384 32767,-16384", "building 0,0 16384,0 16384,8",
      ])
  }

  @Test func `names are cleaned, limited, and kept once`() throws {
    let long = String(repeating: "é", count: 200)
    let names = ["Rue\u{1B}[31m Grimaldi\u{202E}", "Rue[31m Grimaldi", long, "\u{200B}", ""]
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "transportation_name",
          features: names.map { name in
            (.line([(0, 0), (9, 9)]), ["class": .text("minor"), "name": .text(name)])
          })))
    #expect(tile.names == ["Rue[31m Grimaldi", String(repeating: "é", count: 79) + "…"])
    #expect(tile.labels.map(\.name) == [0, 0, 1])
  }

  @Test func `names of points in the buffer are left to the neighbouring tile`() throws {
    let places = [(-1, 5), (0, 0), (4_095, 4_095), (4_096, 5)]
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "place",
          features: places.map { x, y in
            (.point(x, y), ["class": .text("suburb"), "name": .text("\(x)"), "rank": .number(7)])
          })))
    #expect(tile.labelTexts == ["quarter 7 0 0,0", "quarter 7 4095 4095,4095"])
  }

  @Test func `a lake that is named along a line has its name in the middle`() throws {
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "water_name",
          features: [
            (
              .line([(0, 0), (10, 10), (20, 20)]),
              ["class": .text("lake"), "name": .text("Lac")]
            )
          ])))
    #expect(tile.labelTexts == ["water 1 Lac 10,10"])
    #expect(tile.shapes.isEmpty)
  }

  @Test func `a feature of another type than its class leaves nothing behind`() throws {
    let named: [String: TileWriter.Value] = ["class": .text("minor"), "name": .text("Rue")]
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(
          name: "transportation", features: [(.polygon([square]), named), (.point(5, 5), named)]),
        TileWriter.Layer(
          name: "transportation_name",
          features: [(.polygon([square]), named), (.point(5, 5), named)]),
        TileWriter.Layer(
          name: "building", features: [(.line([(0, 0), (9, 9)]), [:]), (.point(5, 5), [:])])))
    #expect(tile.shapes.isEmpty && tile.labels.isEmpty)
    #expect(tile.parts.isEmpty && tile.vertices.isEmpty)
  }

  @Test func `a tile that is too large is refused`() {
    #expect(throws: VectorTileError.tooLarge(byteCount: 8 << 20 + 1)) {
      try GroundTile.decoded([UInt8](repeating: 0, count: 8 << 20 + 1))
    }
  }

  @Test func `a tile with too many layers is refused`() {
    let layers = (0..<300).flatMap { number in
      TileWriter.tile(TileWriter.Layer(name: "layer \(number)", features: []))
    }
    #expect(throws: VectorTileError.tooManyLayers) { try GroundTile.decoded(layers) }
  }

  @Test func `a tile takes no more memory than it says`() throws {
    let tile = try GroundTile.decoded(StreetFixtures.tile(StreetFixtures.monaco))
    // What the allocator rounds up.
    #expect(tile.shapes.capacity < tile.shapes.count + 300)
    #expect(tile.labels.capacity < tile.labels.count + 300)
    #expect(tile.parts.capacity < tile.parts.count + 600)
    #expect(tile.vertices.capacity < tile.vertices.count + 1_200)
    #expect(tile.byteCount > 4 * tile.vertices.count)
  }

  @Test func `Monaco has its streets, quarters and squares`() throws {
    let tile = try GroundTile.decoded(StreetFixtures.tile(StreetFixtures.monaco))
    let names = Dictionary(grouping: tile.labels, by: \.kind).mapValues { labels in
      Set(labels.map { tile.names[Int($0.name)] })
    }
    #expect(names[.city] == ["Monaco"])
    #expect(names[.quarter]?.contains("La Condamine") == true)
    #expect(names[.primary]?.contains("Rue Grimaldi") == true)
    #expect(names[.square]?.contains("Square Théodore Gastaud") == true)
    #expect(tile.shapes.count { $0.kind == .building } == 804)
    // All its railways are in tunnels.
    #expect(!tile.shapeKinds.contains(.rail))
    #expect(tile.shapeKinds.contains(.countryBoundary))
  }
}
