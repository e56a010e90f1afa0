import RallyMap

/// The Protomaps basemap, version 4 (docs.protomaps.com/basemaps/layers).
enum ProtomapsSchema {
  static let layers: [SchemaLayer] = [
    SchemaLayer(name: "earth", fields: ["kind": .kind]) { _ in nil },
    SchemaLayer(name: "water", fields: named(["min_zoom": .rank, "tunnel": .tunnel]), rule: water),
    SchemaLayer(name: "landcover", fields: ["kind": .kind], rule: green),
    SchemaLayer(name: "landuse", fields: ["kind": .kind], rule: green),
    SchemaLayer(name: "buildings", fields: ["kind": .kind]) {
      $0.text(.kind) == "building" ? GroundClass(shape: .building) : nil
    },
    SchemaLayer(
      name: "roads",
      fields: named(["kind_detail": .detail, "is_tunnel": .tunnel, "ref": .reference]), rule: road),
    SchemaLayer(name: "boundaries", fields: ["kind": .kind]) {
      switch $0.text(.kind) {
      case "country": GroundClass(shape: .countryBoundary)
      case "region": GroundClass(shape: .regionBoundary)
      default: nil
      }
    },
    SchemaLayer(
      name: "places", fields: named(["kind_detail": .detail, "population_rank": .rank]),
      rule: place),
    SchemaLayer(name: "pois", fields: named(["min_zoom": .rank])) { feature in
      let rank = feature.integer(.rank) ?? GroundClass.noRank
      return switch feature.text(.kind) {
      case "park", "national_park", "nature_reserve": GroundClass(label: .square, rank: rank)
      case "garden": GroundClass(label: .square, rank: rank + 100)
      default: nil
      }
    },
  ]

  private static func named(_ fields: [String: SchemaField]) -> [String: SchemaField] {
    fields.merging(["kind": .kind, "name": .name]) { own, _ in own }
  }

  /// Areas, rivers as lines, and the names of both: the layer has features of all three types.
  @Sendable private static func water(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "playa", "ditch", "drain": nil
    case "river", "stream", "canal":
      feature.isSet(.tunnel) || feature.type == .point
        ? nil
        : feature.type == .polygon
          ? GroundClass(shape: .water) : GroundClass(shape: .waterway, label: .waterway)
    default:
      switch feature.type {
      case .polygon: GroundClass(shape: .water)
      case .point: GroundClass(label: .water, rank: feature.integer(.rank) ?? GroundClass.noRank)
      case .line: nil
      }
    }
  }

  @Sendable private static func green(_ feature: SchemaFeature) -> GroundClass? {
    switch feature.text(.kind) {
    case "allotments", "cemetery", "dog_park", "forest", "garden", "golf_course", "grass",
      "grassland", "meadow", "national_park", "nature_reserve", "park", "pitch", "playground",
      "recreation_ground", "scrub", "stadium", "village_green", "wood", "zoo":
      GroundClass(shape: .green)
    default: nil
    }
  }

  @Sendable private static func road(_ feature: SchemaFeature) -> GroundClass? {
    var found = roadWithName(feature)
    if feature.isSet(.tunnel) { found?.label = nil }
    return found
  }

  private static func roadWithName(_ feature: SchemaFeature) -> GroundClass? {
    let detail = feature.text(.detail)
    return switch feature.text(.kind) {
    case "highway": GroundClass(shape: .motorway, label: .motorway)
    case "major_road":
      switch detail {
      case "secondary", "secondary_link", "tertiary", "tertiary_link":
        GroundClass(shape: .secondary, label: .secondary)
      default: GroundClass(shape: .primary, label: .primary)
      }
    case "minor_road":
      switch detail {
      case "service", "driveway", "parking_aisle", "alley", "drive-through", "emergency_access":
        GroundClass(shape: .service, label: .street)
      default: GroundClass(shape: .street, label: .street)
      }
    case "path":
      switch detail {
      case "pedestrian": GroundClass(shape: .street, label: .street)
      case "corridor": nil
      default: GroundClass(shape: .path, label: .path)
      }
    case "rail":
      detail == "disused" || feature.isSet(.tunnel) ? nil : GroundClass(shape: .rail)
    default: nil
    }
  }

  @Sendable private static func place(_ feature: SchemaFeature) -> GroundClass? {
    // 0 for nobody to 17 for a billion people (`Places.java`, `popBreaks`).
    let population = feature.integer(.rank) ?? 0
    let rank = 20 - population
    switch feature.text(.kind) {
    case "locality":
      let sizes = ["village", "town", "city"]
      let bySize = sizes[population >= 9 ? 2 : population >= 6 ? 1 : 0]
      return GroundClass(place: feature.text(.detail) ?? bySize, rank: rank)
    case "macrohood": return GroundClass(place: "quarter", rank: rank)
    case "neighbourhood":
      return GroundClass(place: feature.text(.detail) ?? "neighbourhood", rank: rank)
    default: return nil
    }
  }
}
