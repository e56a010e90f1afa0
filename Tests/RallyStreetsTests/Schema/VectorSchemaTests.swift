import RallyMap
import Testing

@testable import RallyStreets

/// One row for each class that a schema's documentation names, and for some that are not drawn.
@Suite struct VectorSchemaTests {
  typealias Properties = [String: TileWriter.Value]

  private static let ring = TileWriter.Shape.polygon([[(0, 0), (9, 0), (9, 9)]])
  private static let run = TileWriter.Shape.line([(0, 0), (9, 9)])
  private static let point = TileWriter.Shape.point(5, 5)

  struct Row: CustomTestStringConvertible {
    var layer: String
    var shape: TileWriter.Shape
    var properties: Properties
    var kind: GroundKind?
    var label: String?

    var testDescription: String { "\(layer) \(properties)" }
  }

  private static func row(
    _ layer: String, _ shape: TileWriter.Shape, _ properties: Properties, _ kind: GroundKind?,
    _ label: String? = nil
  ) -> Row { Row(layer: layer, shape: shape, properties: properties, kind: kind, label: label) }

  @Test(arguments: [
    row("water", ring, ["class": .text("ocean")], .water),
    row("water", ring, ["class": .text("river"), "brunnel": .text("tunnel")], nil),
    row("water", ring, ["class": .text("river"), "brunnel": .text("bridge")], .water),
    row(
      "waterway", run, ["class": .text("canal"), "name": .text("N")], .waterway,
      "waterway 0 N"),
    row("waterway", run, ["class": .text("river"), "brunnel": .text("tunnel")], nil),
    row("waterway", run, ["class": .text("drain")], nil),
    row("landcover", ring, ["class": .text("grass"), "subclass": .text("park")], .green),
    row("landcover", ring, ["class": .text("wood")], .green),
    row("landcover", ring, ["class": .text("ice")], nil),
    row("landuse", ring, ["class": .text("cemetery")], .green),
    row("landuse", ring, ["class": .text("residential")], nil),
    row("park", ring, ["class": .text("national_park")], .green),
    row("park", ring, ["class": .text("parc_naturel_régional")], nil),
    row(
      "park", point,
      ["class": .text("nature_reserve"), "name": .text("N"), "rank": .number(3)], nil,
      "square 3 N"),
    row("building", ring, [:], .building),
    row("transportation", run, ["class": .text("motorway")], .motorway),
    row(
      "transportation", run, ["class": .text("trunk"), "brunnel": .text("tunnel")], .primary),
    row("transportation", run, ["class": .text("tertiary")], .secondary),
    row("transportation", run, ["class": .text("minor")], .street),
    row("transportation", run, ["class": .text("service")], .service),
    row("transportation", run, ["class": .text("track")], .path),
    row(
      "transportation", run, ["class": .text("path"), "subclass": .text("steps")], .path),
    row(
      "transportation", run, ["class": .text("path"), "subclass": .text("pedestrian")], .street),
    row(
      "transportation", run,
      ["class": .text("path"), "subclass": .text("footway"), "indoor": .number(1)], nil),
    row("transportation", run, ["class": .text("minor_construction")], nil),
    row("transportation", run, ["class": .text("ferry")], nil),
    row("transportation", run, ["class": .text("rail")], .rail),
    row(
      "transportation", run, ["class": .text("transit"), "brunnel": .text("tunnel")], nil),
    row("transportation", ring, ["class": .text("path"), "subclass": .text("pedestrian")], nil),
    row(
      "transportation_name", run, ["class": .text("minor"), "name": .text("N")], nil,
      "street 0 N"),
    row(
      "transportation_name", run, ["class": .text("minor"), "name:latin": .text("N")], nil,
      "street 0 N"),
    row(
      "transportation_name", run,
      ["class": .text("path"), "subclass": .text("footway"), "name": .text("N")], nil, "path 0 N"),
    row(
      "transportation_name", run, ["class": .text("motorway"), "ref": .text("A 8;E 80")], nil,
      "motorway 0 A 8"),
    row(
      "transportation_name", run,
      ["class": .text("motorway"), "ref": .text("A 8"), "name": .text("N")], nil,
      "motorway 0 A 8"),
    row(
      "transportation_name", run,
      ["class": .text("primary"), "ref": .text("D 6"), "name": .text("N")], nil, "primary 0 N"),
    row(
      "transportation_name", run,
      ["class": .text("minor"), "name": .text("N"), "brunnel": .text("tunnel")], nil),
    row("transportation_name", run, ["class": .text("minor"), "ref": .text("D 1")], nil),
    row("transportation_name", run, ["class": .text("rail"), "name": .text("N")], nil),
    row("boundary", run, ["admin_level": .float(2)], .countryBoundary),
    row("boundary", run, ["admin_level": .number(4)], .regionBoundary),
    row("boundary", run, ["admin_level": .number(8)], nil),
    row("boundary", run, ["admin_level": .number(2), "maritime": .number(1)], nil),
    row(
      "place", point, ["class": .text("city"), "name": .text("N"), "rank": .number(2)], nil,
      "city 2 N"),
    row("place", point, ["class": .text("town"), "name": .text("N")], nil, "town 99 N"),
    row(
      "place", point, ["class": .text("neighbourhood"), "name": .text("N"), "rank": .number(11)],
      nil, "quarter 111 N"),
    row("place", point, ["class": .text("country"), "name": .text("N")], nil),
    row("water_name", point, ["class": .text("sea"), "name": .text("N")], nil, "water 0 N"),
    row(
      "poi", point,
      [
        "class": .text("park"), "subclass": .text("park"), "name": .text("N"), "rank": .number(4),
      ], nil, "square 4 N"),
    row("poi", point, ["class": .text("bank"), "name": .text("N")], nil),
  ])
  func `OpenMapTiles is brought to the ground's classes`(row: Row) throws {
    try expect(row, beside: "transportation", "building", "poi")
  }

  @Test(arguments: [
    row("earth", ring, ["kind": .text("earth")], nil),
    row("water", ring, ["kind": .text("ocean")], .water),
    row("water", ring, ["kind": .text("water"), "kind_detail": .text("river")], .water),
    row("water", ring, ["kind": .text("playa")], nil),
    row("water", run, ["kind": .text("river"), "name": .text("N")], .waterway, "waterway 0 N"),
    row("water", run, ["kind": .text("stream"), "tunnel": .text("yes")], nil),
    row(
      "water", point, ["kind": .text("lake"), "name": .text("N"), "min_zoom": .number(7)], nil,
      "water 7 N"),
    row("landuse", ring, ["kind": .text("park")], .green),
    row("landuse", ring, ["kind": .text("industrial")], nil),
    row("landcover", ring, ["kind": .text("forest")], .green),
    row("landcover", ring, ["kind": .text("barren")], nil),
    row("buildings", ring, ["kind": .text("building")], .building),
    row("buildings", ring, ["kind": .text("building_part")], nil),
    row(
      "roads", run, ["kind": .text("highway"), "ref": .text("A8")], .motorway, "motorway 0 A8"),
    row(
      "roads", run,
      ["kind": .text("major_road"), "kind_detail": .text("trunk"), "name": .text("N")], .primary,
      "primary 0 N"),
    row(
      "roads", run, ["kind": .text("major_road"), "kind_detail": .text("tertiary")], .secondary),
    row(
      "roads", run,
      [
        "kind": .text("minor_road"), "kind_detail": .text("residential"), "name": .text("N"),
        "is_tunnel": .truth(false),
      ], .street, "street 0 N"),
    row(
      "roads", run,
      ["kind": .text("minor_road"), "name": .text("N"), "is_tunnel": .truth(true)], .street),
    row(
      "roads", run, ["kind": .text("minor_road"), "kind_detail": .text("service")], .service),
    row(
      "roads", run, ["kind": .text("path"), "kind_detail": .text("pedestrian")], .street),
    row("roads", run, ["kind": .text("path"), "kind_detail": .text("steps")], .path),
    row("roads", run, ["kind": .text("rail"), "kind_detail": .text("tram")], .rail),
    row(
      "roads", run,
      ["kind": .text("rail"), "kind_detail": .text("subway"), "is_tunnel": .truth(true)], nil),
    row("roads", run, ["kind": .text("ferry")], nil),
    row("boundaries", run, ["kind": .text("country")], .countryBoundary),
    row("boundaries", run, ["kind": .text("region")], .regionBoundary),
    row("boundaries", run, ["kind": .text("county")], nil),
    row(
      "places", point,
      [
        "kind": .text("locality"), "kind_detail": .text("city"), "name": .text("N"),
        "population_rank": .number(12),
      ], nil, "city 8 N"),
    row(
      "places", point,
      ["kind": .text("locality"), "name": .text("N"), "population_rank": .number(7)], nil,
      "town 13 N"),
    row("places", point, ["kind": .text("macrohood"), "name": .text("N")], nil, "quarter 70 N"),
    row("places", point, ["kind": .text("country"), "name": .text("N")], nil),
    row(
      "pois", point, ["kind": .text("park"), "name": .text("N"), "min_zoom": .number(9)], nil,
      "square 9 N"),
  ])
  func `the Protomaps basemap is brought to the ground's classes`(row: Row) throws {
    try expect(row, beside: "earth", "roads", "places")
  }

  @Test(arguments: [
    row("ocean", ring, [:], .water),
    row("water_polygons", ring, ["kind": .text("river")], .water),
    row("water_polygons", ring, ["kind": .text("glacier")], nil),
    row(
      "water_polygons_labels", point,
      ["kind": .text("water"), "name": .text("N"), "way_area": .float(1_000)], nil, "water 54 N"),
    row("water_lines", run, ["kind": .text("stream"), "tunnel": .truth(false)], .waterway),
    row("water_lines", run, ["kind": .text("stream"), "tunnel": .truth(true)], nil),
    row("water_lines", run, ["kind": .text("ditch")], nil),
    row(
      "water_lines_labels", run, ["kind": .text("river"), "name": .text("N")], nil,
      "waterway 0 N"),
    row("land", ring, ["kind": .text("park")], .green),
    row("land", ring, ["kind": .text("residential")], nil),
    row("sites", ring, ["kind": .text("sports_centre")], .green),
    row("buildings", ring, ["dummy": .number(1)], .building),
    row(
      "boundaries", run, ["admin_level": .number(2), "maritime": .truth(false)], .countryBoundary),
    row("boundaries", run, ["admin_level": .number(4), "maritime": .truth(true)], nil),
    row(
      "place_labels", point,
      ["kind": .text("capital"), "name": .text("N"), "population": .number(39_000)], nil,
      "city 48 N"),
    row(
      "place_labels", point, ["kind": .text("quarter"), "name": .text("N")], nil, "quarter 149 N"),
    row("place_labels", point, ["kind": .text("island"), "name": .text("N")], nil),
    row("streets", run, ["kind": .text("motorway"), "link": .truth(true)], .motorway),
    row("streets", run, ["kind": .text("trunk")], .primary),
    row("streets", run, ["kind": .text("tertiary")], .secondary),
    row("streets", run, ["kind": .text("living_street"), "tunnel": .truth(true)], .street),
    row("streets", run, ["kind": .text("service")], .service),
    row("streets", run, ["kind": .text("cycleway")], .path),
    row("streets", run, ["kind": .text("tram"), "rail": .truth(true)], .rail),
    row(
      "streets", run,
      ["kind": .text("subway"), "rail": .truth(true), "tunnel": .truth(true)], nil),
    row("streets", run, ["kind": .text("runway")], nil),
    row(
      "street_labels", run, ["kind": .text("primary_link"), "name": .text("N")], nil,
      "primary 0 N"),
    row(
      "street_labels", run, ["kind": .text("motorway"), "ref": .text("A 8\nE 80")], nil,
      "motorway 0 A 8"),
    row(
      "street_labels", run, ["kind": .text("pedestrian"), "name": .text("N")], nil, "street 0 N"),
    row(
      "street_labels", run,
      ["kind": .text("service"), "name": .text("N"), "tunnel": .truth(true)], nil),
    row(
      "streets_polygons_labels", point, ["kind": .text("pedestrian"), "name": .text("N")], nil,
      "square 0 N"),
  ])
  func `Shortbread is brought to the ground's classes`(row: Row) throws {
    try expect(row, beside: "streets", "land", "ocean")
  }

  @Test func `a layer that two schemas share is told apart by its keys`() throws {
    let both: [(String, Properties, Bool)] = [
      ("landuse", ["class": .text("pitch"), "kind": .text("residential")], true),
      ("landuse", ["kind": .text("pitch")], true),
      ("landuse", ["class": .text("residential")], false),
      ("landuse", ["class": .text("pitch")], true),
    ]
    for (layer, properties, isGreen) in both {
      let tile = try Self.decoded(layer, Self.ring, properties)
      #expect(tile.shapeKinds == (isGreen ? [.green] : []), "\(properties)")
    }
    // Protomaps draws buildings of one kind, Shortbread all.
    #expect(try Self.decoded("buildings", Self.ring, ["kind": .text("address")]).shapes.isEmpty)
    #expect(try Self.decoded("buildings", Self.ring, ["dummy": .number(1)]).shapes.count == 1)
    #expect(
      try Self.decoded("boundaries", Self.run, ["admin_level": .number(2)]).shapes.count == 1)
    #expect(
      try Self.decoded("boundaries", Self.run, ["kind": .text("country")]).shapes.count == 1)
  }

  private func expect(_ row: Row, beside layers: String...) throws {
    let tile = try GroundTile.decoded(
      TileWriter.tile(
        TileWriter.Layer(name: row.layer, features: [(row.shape, row.properties)]))
        + layers.filter { $0 != row.layer }.flatMap {
          TileWriter.tile(TileWriter.Layer(name: $0, features: []))
        })
    #expect(tile.shapeKinds == (row.kind.map { [$0] } ?? []))
    let label = tile.labelTexts.first.map {
      $0.split(separator: " ").dropLast($0.hasSuffix("9,9") ? 2 : 1).joined(separator: " ")
    }
    #expect(label == row.label)
  }

  private static func decoded(
    _ layer: String, _ shape: TileWriter.Shape, _ properties: Properties
  ) throws -> GroundTile {
    try GroundTile.decoded(
      TileWriter.tile(TileWriter.Layer(name: layer, features: [(shape, properties)])))
  }
}
