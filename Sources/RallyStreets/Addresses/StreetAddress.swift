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
  /// A tile of a high zoom knows a town only if the town's middle lies within it: give a tile of zoom
  /// 10 or so too, which knows all towns around.
  public func place(near point: GeoPoint) -> String? {
    GroundPlaces(of: self).place(near: point)?.name
  }
}
