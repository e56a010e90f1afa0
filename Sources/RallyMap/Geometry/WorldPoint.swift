import Foundation

/// A place on the Mercator square: x to the east from the dateline, y to the south, both 0...1.
public struct WorldPoint: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The latitude at which the square ends, north and south, degrees.
  public static let maximumLatitude = 85.051_128_779_806_6

  /// Spherical (web) Mercator; latitudes beyond the square are held at its edge. What is not a number
  /// stays none, and is on no grid.
  public init(_ point: GeoPoint) {
    let held = min(max(point.latitude, -Self.maximumLatitude), Self.maximumLatitude)
    x = (GeoPoint.normalizedLongitude(point.longitude) + 180) / 360
    y = min(max((1 - asinh(tan(held * .pi / 180)) / .pi) / 2, 0), 1)
  }

  /// The inverse; x may lie outside of the square and is turned round the earth.
  public var geoPoint: GeoPoint {
    GeoPoint(
      latitude: atan(sinh(.pi * (1 - 2 * y))) * 180 / .pi,
      longitude: GeoPoint.normalizedLongitude(x * 360 - 180))
  }
}
