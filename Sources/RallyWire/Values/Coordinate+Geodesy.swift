import Glibc

// Great circles on a sphere of the Earth's mean radius: at most 0.6 % off the ellipsoid.
// Formulas: R. W. Sinnott, "Virtues of the Haversine", Sky and Telescope 68 (1984); the bearing
// as in Ed Williams' Aviation Formulary.
extension Coordinate {
  /// Metres; the mean radius R1 of the IUGG.
  public static let earthRadius = 6_371_008.8

  /// Metres along the great circle, 0...20,015,115.
  public func distance(to other: Coordinate) -> Double {
    let (a, b) = (latitude.radians, other.latitude.radians)
    let sinLatitude = sin((b - a) / 2)
    let sinLongitude = sin((other.longitude - longitude).radians / 2)
    let square = sinLatitude * sinLatitude + cos(a) * cos(b) * sinLongitude * sinLongitude
    return 2 * Coordinate.earthRadius * asin(min(1, square.squareRoot()))
  }

  /// The initial bearing of the great circle to `other` in degrees clockwise from north, 0..<360;
  /// nil where it is undefined: at the same place and at its antipode.
  public func bearing(to other: Coordinate) -> Double? {
    let (a, b) = (latitude.radians, other.latitude.radians)
    let turn = (other.longitude - longitude).radians
    let east = sin(turn) * cos(b)
    let north = cos(a) * sin(b) - sin(a) * cos(b) * cos(turn)
    guard abs(east) > 1e-12 || abs(north) > 1e-12 else { return nil }
    let degrees = atan2(east, north) * 180 / .pi
    let positive = degrees < 0 ? degrees + 360 : degrees
    return positive >= 360 ? 0 : positive
  }

  /// The place so many metres away along the great circle that begins in this direction.
  ///
  /// - Parameter bearing: Degrees clockwise from north.
  func moved(by metres: Double, towards bearing: Double) -> Coordinate {
    let (angle, start, turn) = (metres / Self.earthRadius, latitude.radians, bearing.radians)
    let height = sin(start) * cos(angle) + cos(start) * sin(angle) * cos(turn)
    let east = atan2(sin(turn) * sin(angle) * cos(start), cos(angle) - sin(start) * height)
    let end = (longitude + east * 180 / .pi).remainder(dividingBy: 360)
    return Coordinate(
      latitude: asin(min(1, max(-1, height))) * 180 / .pi, longitude: end) ?? self
  }
}

extension Double {
  fileprivate var radians: Double { self * .pi / 180 }
}
