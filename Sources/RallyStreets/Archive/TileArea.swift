import Glibc
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

extension GeoBounds {
  /// The box around a circle; it ends at the 180th meridian and at the map's northern and southern
  /// edges.
  ///
  /// - Parameter radius: In metres, greater than 0.
  /// - Returns: Nil for a point beyond the map's edges or a radius that is not positive.
  init?(around point: GeoPoint, radius: Double) {
    guard radius > 0, abs(point.latitude) < WorldPoint.maximumLatitude else { return nil }
    let height = radius / Self.metresPerDegree
    let width = Self.degrees(ofMetres: radius, latitude: point.latitude)
    let edge = WorldPoint.maximumLatitude
    self.init(
      west: max(point.longitude - width, -180), south: max(point.latitude - height, -edge),
      east: min(point.longitude + width, 180), north: min(point.latitude + height, edge))
  }

  private static let metresPerDegree = 111_320.0

  /// Degrees of longitude, at most 180.
  static func degrees(ofMetres metres: Double, latitude: Double) -> Double {
    min(metres / metresPerDegree / max(cos(latitude * .pi / 180), 0.01), 180)
  }

  /// The columns of the tiles that the area touches.
  func columns(zoom: Int) -> ClosedRange<Int> {
    Self.indices((west + 180) / 360, (east + 180) / 360, zoom)
  }

  /// The rows of the tiles that the area touches.
  func rows(zoom: Int) -> ClosedRange<Int> {
    let top = WorldPoint(GeoPoint(latitude: north, longitude: 0)).y
    let bottom = WorldPoint(GeoPoint(latitude: south, longitude: 0)).y
    return Self.indices(top, bottom, zoom)
  }

  /// From the tile of the lower share of the square's side to the last that begins before the upper.
  private static func indices(_ low: Double, _ high: Double, _ zoom: Int) -> ClosedRange<Int> {
    let side = Double(1 << zoom)
    let first = Int(min(max((low * side).rounded(.down), 0), side - 1))
    let last = Int(min(max((high * side).rounded(.up) - 1, 0), side - 1))
    return first...max(first, last)
  }
}

/// An area between two meridians and two parallels, in degrees; west is less than east.
public struct GeoBounds: Hashable, Sendable {
  public var west: Double
  public var south: Double
  public var east: Double
  public var north: Double

  /// - Returns: Nil unless -180 ≤ west < east ≤ 180 and -90 ≤ south < north ≤ 90.
  public init?(west: Double, south: Double, east: Double, north: Double) {
    guard (-180...180).contains(west), (-180...180).contains(east), west < east,
      (-90...90).contains(south), (-90...90).contains(north), south < north
    else { return nil }
    self.init(unchecked: west, south, east, north)
  }

  init(unchecked west: Double, _ south: Double, _ east: Double, _ north: Double) {
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// All that web map tiles show.
  public static let world = GeoBounds(
    unchecked: -180, -WorldPoint.maximumLatitude, 180, WorldPoint.maximumLatitude)

  public func contains(_ point: GeoPoint) -> Bool {
    (south...north).contains(point.latitude) && (west...east).contains(point.longitude)
  }

  /// The part that both have; nil if they only touch or are apart.
  public func intersection(_ other: GeoBounds) -> GeoBounds? {
    GeoBounds(
      west: max(west, other.west), south: max(south, other.south), east: min(east, other.east),
      north: min(north, other.north))
  }
}
