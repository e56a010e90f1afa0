import Glibc
import RallyMap

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
