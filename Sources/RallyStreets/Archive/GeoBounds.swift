import RallyMap

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
