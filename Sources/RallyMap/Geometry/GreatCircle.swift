import Glibc

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
