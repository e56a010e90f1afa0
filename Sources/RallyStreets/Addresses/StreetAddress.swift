import RallyMap

/// Where a point is, in words.
public struct StreetAddress: Hashable, Sendable {
  /// The nearest named street; nil if none is near.
  public var street: String?
  /// The town, or where none is known the quarter.
  public var place: String?

  public init(street: String? = nil, place: String? = nil) {
    self.street = street
    self.place = place
  }

  /// "Rue Grimaldi, Monaco"; nil where neither is known.
  public var text: String? {
    guard let street, let place, street != place else { return street ?? place }
    return "\(street), \(place)"
  }
}

extension Collection where Element == GroundTile {
  /// The address of a point by the names of the given tiles.
  ///
  /// Whoever shows a position that is not exact asks for `place(near:)` alone, so that it never
  /// names a street.
  ///
  /// - Parameter metres: How far the street may be.
  public func address(of point: GeoPoint, within metres: Double = 60) -> StreetAddress {
    StreetAddress(street: street(near: point, within: metres), place: place(near: point))
  }

  /// The named street that is nearest to a point; nil if none is within `metres`.
  public func street(near point: GeoPoint, within metres: Double = 60) -> String? {
    var best: (name: String, distance: Double)?
    for tile in self {
      let position = TilePosition(of: point, in: tile)
      // A tile without any part that is near enough; 1.5 for the error of the flat measure.
      guard position.distanceToBuffer * position.metresPerUnit <= metres * 1.5 else { continue }
      for label in tile.labels where label.kind.isStreet {
        let distance = position.distance(to: label)
        if distance <= metres, distance < best?.distance ?? .infinity {
          best = (tile.names[Int(label.name)], distance)
        }
      }
    }
    return best?.name
  }

  /// The town that a point is in, or the quarter where no town is known near by.
  ///
  /// A tile of a high zoom has a town only if the town's middle lies within it. Give a tile of zoom
  /// 10 or so too, which has all towns around.
  public func place(near point: GeoPoint) -> String? {
    GroundPlaces(of: self).place(near: point)?.name
  }
}

/// The towns and quarters of some tiles.
///
/// Tiles have a town as one point in its middle. Each is taken to reach as far as others of its
/// kind do, and a point belongs to the one of which its distance is the smallest share of that
/// reach.
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

  /// The town that a point is in. Where no town is known near by, and on a town's rim, it is the
  /// nearest quarter. The middle of the point's own town may lie in a tile that is not given.
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
