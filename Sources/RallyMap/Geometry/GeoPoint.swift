import Glibc

/// A point on the sphere in degrees: latitude -90...90, longitude -180..<180.
public struct GeoPoint: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// The point with its latitude clamped to -90...90 and its longitude wrapped to -180..<180.
  public var normalized: GeoPoint {
    GeoPoint(latitude: min(max(latitude, -90), 90), longitude: Self.normalizedLongitude(longitude))
  }

  /// Wraps a longitude to -180..<180.
  static func normalizedLongitude(_ longitude: Double) -> Double {
    guard longitude < -180 || longitude >= 180 else { return longitude }
    let turned = (longitude + 180).truncatingRemainder(dividingBy: 360)
    // A tiny negative remainder plus 360 rounds to 360 itself.
    let positive = turned < 0 ? turned + 360 : turned
    return positive >= 360 ? -180 : positive - 180
  }

  /// Latitude in radians.
  var phi: Double { latitude * .pi / 180 }

  /// Longitude in radians.
  var lambda: Double { longitude * .pi / 180 }
}

extension GeoPoint {
  /// The mean radius of the earth in metres (IUGG R1).
  public static let earthRadius = 6_371_008.8

  /// Great-circle distance in metres on a sphere, within 0.6 % of the distance on the ellipsoid.
  ///
  /// Uses the haversine formula, which stays accurate for small distances.
  public func distance(to other: GeoPoint) -> Double {
    let latitude = sin((other.phi - phi) / 2)
    let longitude = sin((other.lambda - lambda) / 2)
    let h = latitude * latitude + cos(phi) * cos(other.phi) * longitude * longitude
    return 2 * Self.earthRadius * asin(min(1, h.squareRoot()))
  }

  /// Initial bearing of the great circle, degrees clockwise from north, 0..<360.
  public func bearing(to other: GeoPoint) -> Double {
    let delta = other.lambda - lambda
    let y = sin(delta) * cos(other.phi)
    let x = cos(phi) * sin(other.phi) - sin(phi) * cos(other.phi) * cos(delta)
    let degrees = atan2(y, x) * 180 / .pi
    return degrees < 0 ? (degrees + 360).truncatingRemainder(dividingBy: 360) : degrees
  }

  /// The point reached along a great circle.
  ///
  /// - Parameters:
  ///   - bearing: Initial direction, degrees clockwise from north.
  ///   - distance: Metres along the great circle.
  public func destination(bearing: Double, distance: Double) -> GeoPoint {
    let angle = distance / Self.earthRadius
    let course = bearing * .pi / 180
    let sine = sin(phi) * cos(angle) + cos(phi) * sin(angle) * cos(course)
    let y = sin(course) * sin(angle) * cos(phi)
    let x = cos(angle) - sin(phi) * sine
    return GeoPoint(
      latitude: asin(min(max(sine, -1), 1)) * 180 / .pi,
      longitude: (lambda + atan2(y, x)) * 180 / .pi
    ).normalized
  }
}

/// The eight compass directions.
public enum CompassPoint: Int, CaseIterable, Hashable, Sendable {
  case north, northEast, east, southEast, south, southWest, west, northWest

  /// The direction nearest to a bearing in degrees clockwise from north; north for NaN and
  /// infinity.
  public init(bearing: Double) {
    let turned = bearing.truncatingRemainder(dividingBy: 360)
    let steps = turned.isFinite ? Int((turned / 45).rounded()) % 8 : 0
    self = Self.allCases[(steps + 8) % 8]
  }

  /// "N", "NE", …
  public var letters: String { ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][rawValue] }

  /// The offset of the neighbouring cell: columns to the east, rows to the south.
  var step: (column: Int, row: Int) {
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)][rawValue]
  }
}

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
