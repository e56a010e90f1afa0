import Foundation

/// The grid that the packed world's vertices lie on: Web Mercator, 65,535 units a side, x to the east from 180° W, y to the
/// south from 85.0511° N. A unit is 611 m at the equator.
///
/// The sphere's formulas: x = (λ + 180) / 360, y = (1 - asinh(tan φ) / π) / 2.
public enum WorldUnits {
  /// Units from one edge of the world to the other: x 0 and x 65,535 are the same meridian.
  public static let span = 65_535.0
  /// The latitude of the square's upper edge, in degrees.
  public static let maximumLatitude = 85.051_128_779_806_6

  /// - Parameter longitude: Degrees, -180...180.
  public static func x(longitude: Double) -> Double {
    (longitude + 180) / 360 * span
  }

  /// - Parameter latitude: Degrees; clamped to the square.
  public static func y(latitude: Double) -> Double {
    let clamped = min(max(latitude, -maximumLatitude), maximumLatitude)
    return (1 - asinh(tan(clamped * .pi / 180)) / .pi) / 2 * span
  }

  public static func longitude(x: Double) -> Double {
    x / span * 360 - 180
  }

  public static func latitude(y: Double) -> Double {
    atan(sinh(.pi * (1 - 2 * y / span))) * 180 / .pi
  }

  public static func point(x: Double, y: Double) -> GeoPoint {
    GeoPoint(latitude: latitude(y: y), longitude: longitude(x: x))
  }
}
