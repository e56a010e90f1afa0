import Glibc
import RallyWire

/// Extracts the coordinates of a GeoJSON geometry.
enum GeoJSONGeometry {
  /// - Throws: `ImportProblem` for an unknown geometry type, a geometry without points, or an
  ///   invalid coordinate.
  static func points(of geometry: PositionedJSON) throws(ImportProblem) -> [Coordinate] {
    var points: [Coordinate] = []
    try collect(geometry, into: &points)
    guard !points.isEmpty else {
      throw ImportProblem(line: geometry.line, "The geometry has no point.")
    }
    return points
  }

  /// Reads `[longitude, latitude]`; an altitude is ignored.
  ///
  /// - Throws: `ImportProblem` if the value is no position or out of range.
  static func position(_ value: PositionedJSON) throws(ImportProblem) -> Coordinate {
    guard let numbers = value.array, numbers.count >= 2, let longitude = numbers[0].number,
      let latitude = numbers[1].number
    else {
      let fault = value.array?.prefix(2).compactMap(\.fault).first
      throw ImportProblem(
        line: value.line, fault ?? "A position is written [longitude, latitude].")
    }
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw ImportProblem(
        line: value.line, "This position is not on Earth: [longitude, latitude] is expected.")
    }
    return place
  }

  private static func collect(
    _ geometry: PositionedJSON, into points: inout [Coordinate]
  ) throws(ImportProblem) {
    let nesting =
      switch geometry["type"]?.string {
      case "Point": 0
      case "MultiPoint", "LineString": 1
      case "Polygon", "MultiLineString": 2
      case "MultiPolygon": 3
      case "GeometryCollection": -1
      default: Int?.none
      }
    guard let nesting else {
      throw ImportProblem(line: geometry.line, "This is no geometry of GeoJSON.")
    }
    guard nesting >= 0 else {
      for part in geometry["geometries"]?.array ?? [] { try collect(part, into: &points) }
      return
    }
    guard let coordinates = geometry["coordinates"] else {
      throw ImportProblem(line: geometry.line, "The geometry has no coordinates.")
    }
    try collect(coordinates, nesting: nesting, into: &points)
  }

  private static func collect(
    _ value: PositionedJSON, nesting: Int, into points: inout [Coordinate]
  ) throws(ImportProblem) {
    guard nesting > 0 else { return points.append(try position(value)) }
    guard let values = value.array else {
      throw ImportProblem(line: value.line, "A list of positions is expected here.")
    }
    for value in values { try collect(value, nesting: nesting - 1, into: &points) }
  }
}

/// A circle on the globe that contains all given points.
///
/// J. Ritter, "An Efficient Bounding Sphere", Graphics Gems (1990), computed on unit vectors so
/// that the date line and the poles need no special case. The radius is at most a few per cent
/// above the smallest possible one.
struct BoundingCircle: Hashable, Sendable {
  let centre: Coordinate
  /// Metres; 0 for a single point.
  let radiusMetres: Double

  /// - Returns: nil for no points, or if there is no unique centre (antipodal points).
  init?(around points: [Coordinate]) {
    guard let first = points.first else { return nil }
    let one = Self.farthest(from: first, in: points) ?? first
    let other = Self.farthest(from: one, in: points) ?? one
    guard var centre = Self.between(one, other, share: 0.5) else { return nil }
    var radius = centre.distance(to: other)
    for point in points {
      let distance = centre.distance(to: point)
      guard distance > radius else { continue }
      let grown = (radius + distance) / 2
      guard let moved = Self.between(centre, point, share: (distance - grown) / distance) else {
        return nil
      }
      (centre, radius) = (moved, grown)
    }
    let middle = points.count == 1 ? first : centre
    self.centre = middle
    radiusMetres = points.map { middle.distance(to: $0) }.max() ?? 0
  }

  private static func farthest(from place: Coordinate, in points: [Coordinate]) -> Coordinate? {
    points.max { place.distance(to: $0) < place.distance(to: $1) }
  }

  /// The point at the fraction `share` (0...1) of the great circle; nil for antipodal points.
  private static func between(
    _ one: Coordinate, _ other: Coordinate, share: Double
  ) -> Coordinate? {
    let (a, b) = (vector(one), vector(other))
    let angle = one.distance(to: other) / Coordinate.earthRadius
    guard angle > 1e-9 else { return one }
    guard angle < .pi - 1e-6 else { return nil }
    let (s, t) = (sin((1 - share) * angle) / sin(angle), sin(share * angle) / sin(angle))
    let (x, y, z) = (s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z)
    return Coordinate(
      latitude: atan2(z, (x * x + y * y).squareRoot()) * 180 / .pi,
      longitude: atan2(y, x) * 180 / .pi)
  }

  private static func vector(_ place: Coordinate) -> (x: Double, y: Double, z: Double) {
    let (latitude, longitude) = (place.latitude * .pi / 180, place.longitude * .pi / 180)
    return (
      cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude)
    )
  }
}
