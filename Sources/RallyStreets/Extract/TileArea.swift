import RallyMap

/// An area of the map: one box, or the two on either side of the 180th meridian.
public struct TileArea: Hashable, Sendable {
  /// One, or the western and then the eastern part of an area that crosses the meridian.
  let parts: [GeoBounds]

  public init(_ bounds: GeoBounds) { parts = [bounds] }

  private init?(parts: [GeoBounds?]) {
    self.parts = parts.compactMap(\.self)
    if self.parts.isEmpty { return nil }
  }

  /// The box around a circle; it ends at the map's northern and southern edges.
  ///
  /// - Parameter radius: In metres, greater than 0.
  /// - Returns: Nil for a point beyond the map's edges or a radius that is not positive.
  public init?(around point: GeoPoint, radius: Double) {
    guard let whole = GeoBounds(around: point, radius: radius) else { return nil }
    let width = GeoBounds.degrees(ofMetres: radius, latitude: point.latitude)
    let (west, east) = (point.longitude - width, point.longitude + width)
    guard width < 180, west < -180 || east > 180 else {
      self.init(whole)
      return
    }
    self.init(
      west: west < -180 ? west + 360 : west, south: whole.south,
      east: east > 180 ? east - 360 : east, north: whole.north)
  }

  /// Parses `W,S,E,N` in degrees; with a west beyond its east it crosses the 180th meridian.
  ///
  /// - Returns: Nil for anything else, for an empty area, and for one that crosses and is wider than
  ///   half of the world: then west and east are likely mixed up.
  public init?(typed text: String) {
    let degrees = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.filter { $0 != " " })
    }
    guard degrees.count == 4, let west = degrees[0], let south = degrees[1],
      let east = degrees[2], let north = degrees[3]
    else { return nil }
    if west > east, east + 360 - west > 180 { return nil }
    self.init(west: west, south: south, east: east, north: north)
  }

  private init?(west: Double, south: Double, east: Double, north: Double) {
    guard west > east else {
      self.init(parts: [GeoBounds(west: west, south: south, east: east, north: north)])
      return
    }
    self.init(parts: [
      GeoBounds(west: west, south: south, east: 180, north: north),
      GeoBounds(west: -180, south: south, east: east, north: north),
    ])
  }

  /// The part within a box; nil if they are apart.
  func cut(to bounds: GeoBounds) -> TileArea? {
    TileArea(parts: parts.map { $0.intersection(bounds) })
  }

  /// The box around all parts: of all longitudes where the area crosses the meridian.
  var bounds: GeoBounds {
    parts.dropFirst().reduce(parts[0]) {
      GeoBounds(
        unchecked: min($0.west, $1.west), min($0.south, $1.south), max($0.east, $1.east),
        max($0.north, $1.north))
    }
  }

  /// Whether it touches a tile.
  func touches(_ address: TileAddress) -> Bool {
    parts.contains {
      $0.columns(zoom: address.zoom).contains(address.x)
        && $0.rows(zoom: address.zoom).contains(address.y)
    }
  }
}
