import Glibc

/// A point on the web Mercator square: x to the east from 180° W, y to the south, both 0...1.
public struct WorldPoint: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// Latitude of the square's north and south edges in degrees.
  public static let maximumLatitude = 85.051_128_779_806_6

  /// Web Mercator projection; latitudes beyond the square are clamped. NaN is kept and lies on no
  /// grid.
  public init(_ point: GeoPoint) {
    let held = min(max(point.latitude, -Self.maximumLatitude), Self.maximumLatitude)
    x = (GeoPoint.normalizedLongitude(point.longitude) + 180) / 360
    y = min(max((1 - asinh(tan(held * .pi / 180)) / .pi) / 2, 0), 1)
  }

  /// The inverse projection; x outside of 0...1 wraps around.
  public var geoPoint: GeoPoint {
    GeoPoint(
      latitude: atan(sinh(.pi * (1 - 2 * y))) * 180 / .pi,
      longitude: GeoPoint.normalizedLongitude(x * 360 - 180))
  }
}
