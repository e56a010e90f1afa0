import RallyMap

/// The towns and quarters of some tiles.
///
/// Tiles know a town by one point in its middle. Each is taken to reach as far as others of its kind
/// do, and a point belongs to the one of which its distance is the smallest share of that reach.
struct GroundPlaces {
  private struct Place {
    let name: String
    let point: GeoPoint
    /// Metres.
    let reach: Double
  }

  private var towns: [Place] = []
  private var quarters: [Place] = []

  init(of tiles: some Sequence<GroundTile>) {
    for tile in tiles {
      for label in tile.labels {
        guard let reach = Self.reach(of: label.kind) else { continue }
        let vertex = tile.vertices[Int(tile.parts[Int(label.parts.lowerBound)].lowerBound)]
        let place = Place(
          name: tile.names[Int(label.name)],
          point: tile.geoPoint(x: Double(vertex.x), y: Double(vertex.y)), reach: reach)
        if label.kind == .quarter { quarters.append(place) } else { towns.append(place) }
      }
    }
  }

  /// The town that a point is in; the nearest quarter where no town is known near by, and on a town's
  /// rim, since the middle of the point's own town may lie in a tile that is not given.
  func place(near point: GeoPoint) -> (name: String, isTown: Bool)? {
    let town = Self.nearest(to: point, among: towns)
    let quarter = Self.nearest(to: point, among: quarters)
    if let town, town.share <= 0.5 || quarter == nil { return (town.name, true) }
    return quarter.map { ($0.name, false) }
  }

  private static func nearest(
    to point: GeoPoint, among places: [Place]
  ) -> (name: String, share: Double)? {
    var best: (name: String, share: Double)?
    for place in places {
      let share = point.distance(to: place.point) / place.reach
      if share <= 1, share < best?.share ?? .infinity { best = (place.name, share) }
    }
    return best
  }

  /// How far from its point a place reaches, in metres; nil for what is no place.
  private static func reach(of kind: GroundLabelKind) -> Double? {
    switch kind {
    case .city: 12_000
    case .town: 4_000
    case .village: 2_000
    case .quarter: 1_500
    default: nil
    }
  }
}
