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

  /// The great circle as polylines: one, or two where it crosses the antimeridian; those end and
  /// begin exactly on it.
  ///
  /// - Parameter segments: Number of segments of equal length; nil for about one per 300 km,
  ///   8...128.
  public func greatCircle(to other: GeoPoint, segments: Int? = nil) -> [[GeoPoint]] {
    let angle = distance(to: other) / Self.earthRadius
    let count = max(1, segments ?? min(max(Int(angle * Self.earthRadius / 300_000), 8), 128))
    var points = [self]
    // Antipodes have no unique shortest path; the one along the bearing is used.
    let course = bearing(to: other)
    for step in 1..<max(count, 1) {
      let share = Double(step) / Double(count)
      points.append(destination(bearing: course, distance: share * angle * Self.earthRadius))
    }
    points.append(other)
    return Self.splitAtDateline(points)
  }

  /// Splits a polyline wherever it crosses ±180°.
  static func splitAtDateline(_ points: [GeoPoint]) -> [[GeoPoint]] {
    guard let first = points.first else { return [] }
    var lines: [[GeoPoint]] = []
    var line = [first]
    for (from, to) in zip(points, points.dropFirst()) {
      let step = to.longitude - from.longitude
      if abs(step) > 180 {
        let side: Double = from.longitude < 0 ? -180 : 180
        let unrolled = to.longitude + (step > 0 ? -360 : 360)
        let span = unrolled - from.longitude
        let share = span == 0 ? 0 : (side - from.longitude) / span
        let latitude = from.latitude + share * (to.latitude - from.latitude)
        line.append(GeoPoint(latitude: latitude, longitude: side))
        lines.append(line)
        line = [GeoPoint(latitude: latitude, longitude: -side)]
      }
      line.append(to)
    }
    lines.append(line)
    return lines
  }
}
