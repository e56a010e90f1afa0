import RallyMap

/// Shortbread, version 1 (shortbread-tiles.org/schema).
enum ShortbreadSchema {
  static let layers: [SchemaLayer] = [
    SchemaLayer(name: "ocean", fields: [:]) { _ in GroundClass(shape: .water) },
    SchemaLayer(name: "water_polygons", fields: ["kind": .kind]) {
      $0.text(.kind) == "glacier" ? nil : GroundClass(shape: .water)
    },
    SchemaLayer(name: "water_polygons_labels", fields: named(["way_area": .rank])) { feature in
      feature.text(.kind) == "glacier"
        ? nil : GroundClass(label: .water, rank: GroundClass.rank(ofSize: feature.integer(.rank)))
    },
    SchemaLayer(name: "water_lines", fields: ["kind": .kind, "tunnel": .tunnel]) {
      isWaterway($0) ? GroundClass(shape: .waterway) : nil
    },
    SchemaLayer(name: "water_lines_labels", fields: named(["tunnel": .tunnel])) {
      isWaterway($0) ? GroundClass(label: .waterway) : nil
    },
    SchemaLayer(name: "land", fields: ["kind": .kind], rule: green),
    SchemaLayer(name: "sites", fields: ["kind": .kind]) {
      $0.text(.kind) == "sports_centre" ? GroundClass(shape: .green) : nil
    },
    SchemaLayer(name: "buildings", fields: ["dummy": .kind]) { _ in GroundClass(shape: .building) },
    SchemaLayer(name: "boundaries", fields: ["admin_level": .kind, "maritime": .maritime]) {
      GroundClass(boundaryLevel: $0.integer(.kind), isMaritime: $0.isSet(.maritime))
    },
    SchemaLayer(name: "place_labels", fields: named(["population": .rank])) { feature in
      GroundClass(
        place: feature.text(.kind), rank: GroundClass.rank(ofSize: feature.integer(.rank)))
    },
    SchemaLayer(
      name: "streets", fields: ["kind": .kind, "tunnel": .tunnel, "rail": .rail], rule: street),
    SchemaLayer(
      name: "street_labels", fields: named(["ref": .reference, "tunnel": .tunnel])
    ) { feature in
      feature.isSet(.tunnel) ? nil : road(feature)?.label.map { GroundClass(label: $0) }
    },
    SchemaLayer(name: "streets_polygons_labels", fields: named([:])) {
      $0.text(.kind) == "pedestrian" ? GroundClass(label: .square) : nil
    },
  ]

  private static func named(_ fields: [String: SchemaField]) -> [String: SchemaField] {
    fields.merging(["kind": .kind, "name": .name]) { own, _ in own }
  }

  private static func isWaterway(_ feature: SchemaFeature) -> Bool {
    ["river", "canal", "stream"].contains(feature.text(.kind)) && !feature.isSet(.tunnel)
  }

  @Sendable private static func green(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "allotments", "cemetery", "forest", "garden", "golf_course", "grass", "grassland",
      "grave_yard", "meadow", "miniature_golf", "park", "playground", "recreation_ground", "scrub",
      "village_green":
      GroundClass(shape: .green)
    default: nil
    }
  }

  @Sendable private static func street(_ feature: SchemaFeature) -> GroundClass? {
    if feature.isSet(.rail) { return feature.isSet(.tunnel) ? nil : GroundClass(shape: .rail) }
    return road(feature)?.shape.map { GroundClass(shape: $0) }
  }

  /// `street_labels` has the links as kinds of their own, `streets` in a field.
  private static func road(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "motorway", "motorway_link": GroundClass(shape: .motorway, label: .motorway)
    case "trunk", "trunk_link", "primary", "primary_link":
      GroundClass(shape: .primary, label: .primary)
    case "secondary", "secondary_link", "tertiary", "tertiary_link":
      GroundClass(shape: .secondary, label: .secondary)
    case "unclassified", "residential", "living_street", "pedestrian":
      GroundClass(shape: .street, label: .street)
    case "service", "busway", "bus_guideway": GroundClass(shape: .service, label: .street)
    case "track", "footway", "steps", "path", "cycleway":
      GroundClass(shape: .path, label: .path)
    default: nil
    }
  }
}
