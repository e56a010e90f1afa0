import RallyMap

/// OpenMapTiles, version 3 (openmaptiles.org/schema).
///
/// Tilemaker's tiles of this schema differ: names are in `name:latin` alone, and numbers are floats.
enum OpenMapTilesSchema {
  static let layers: [SchemaLayer] = [
    SchemaLayer(name: "water", fields: ["class": .kind, "brunnel": .tunnel]) {
      isTunnel($0) ? nil : GroundClass(shape: .water)
    },
    SchemaLayer(name: "waterway", fields: named(["class": .kind, "brunnel": .tunnel])) {
      ["river", "canal", "stream"].contains($0.text(.kind)) && !isTunnel($0)
        ? GroundClass(shape: .waterway, label: .waterway) : nil
    },
    SchemaLayer(name: "landcover", fields: ["class": .kind]) {
      ["wood", "grass"].contains($0.text(.kind)) ? GroundClass(shape: .green) : nil
    },
    SchemaLayer(name: "landuse", fields: ["class": .kind]) {
      ["cemetery", "pitch", "playground", "stadium", "track", "zoo"].contains($0.text(.kind))
        ? GroundClass(shape: .green) : nil
    },
    SchemaLayer(name: "park", fields: named(["class": .kind, "rank": .rank]), rule: park),
    SchemaLayer(name: "building", fields: [:]) { _ in GroundClass(shape: .building) },
    SchemaLayer(
      name: "transportation",
      fields: ["class": .kind, "subclass": .detail, "brunnel": .tunnel, "indoor": .indoor],
      rule: transportation),
    SchemaLayer(
      name: "transportation_name",
      fields: named([
        "class": .kind, "subclass": .detail, "ref": .reference, "brunnel": .tunnel,
      ])
    ) { feature in
      isTunnel(feature) ? nil : road(feature)?.label.map { GroundClass(label: $0) }
    },
    SchemaLayer(name: "boundary", fields: ["admin_level": .kind, "maritime": .maritime]) {
      GroundClass(boundaryLevel: $0.integer(.kind), isMaritime: $0.isSet(.maritime))
    },
    SchemaLayer(name: "place", fields: named(["class": .kind, "rank": .rank])) { feature in
      GroundClass(place: feature.text(.kind), rank: feature.integer(.rank) ?? GroundClass.noRank)
    },
    SchemaLayer(name: "water_name", fields: named(["class": .kind])) { feature in
      let isSea = ["ocean", "sea"].contains(feature.text(.kind))
      return GroundClass(label: .water, rank: isSea ? 0 : 1)
    },
    SchemaLayer(
      name: "poi", fields: named(["class": .kind, "subclass": .detail, "rank": .rank]), rule: park),
  ]

  private static func named(_ fields: [String: SchemaField]) -> [String: SchemaField] {
    fields.merging(["name": .name, "name:latin": .otherName]) { own, _ in own }
  }

  private static func isTunnel(_ feature: SchemaFeature) -> Bool {
    feature.text(.tunnel) == "tunnel"
  }

  /// Parks are named in `park` where they are protected areas, and in `poi`. Protected areas of
  /// other classes have towns within and are not drawn.
  @Sendable private static func park(_ feature: SchemaFeature) -> GroundClass? {
    let rank = feature.integer(.rank) ?? GroundClass.noRank
    return switch feature.text(.detail) ?? feature.text(.kind) {
    case "national_park", "nature_reserve":
      GroundClass(shape: .green, label: .square, rank: rank)
    case "park", "public_park": GroundClass(label: .square, rank: rank)
    case "garden": GroundClass(label: .square, rank: rank + 100)
    default: nil
    }
  }

  @Sendable private static func transportation(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "rail", "transit": isTunnel(feature) ? nil : GroundClass(shape: .rail)
    default: feature.isSet(.indoor) ? nil : road(feature)?.shape.map { GroundClass(shape: $0) }
    }
  }

  private static func road(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "motorway": GroundClass(shape: .motorway, label: .motorway)
    case "trunk", "primary": GroundClass(shape: .primary, label: .primary)
    case "secondary", "tertiary": GroundClass(shape: .secondary, label: .secondary)
    case "minor": GroundClass(shape: .street, label: .street)
    case "service", "busway", "bus_guideway": GroundClass(shape: .service, label: .street)
    case "track": GroundClass(shape: .path, label: .path)
    case "path":
      switch feature.text(.detail) {
      case "pedestrian": GroundClass(shape: .street, label: .street)
      case "corridor", "platform": nil
      default: GroundClass(shape: .path, label: .path)
      }
    default: nil
    }
  }
}
