import Glibc
import RallyMap

extension GeoBounds {
  /// The box around a circle; it ends at the 180th meridian and at the map's northern and southern
  /// edges.
  ///
  /// - Parameter radius: In metres, greater than 0.
  /// - Returns: Nil for a point beyond the map's edges or a radius that is not positive.
  public init?(around point: GeoPoint, radius: Double) {
    guard radius > 0, abs(point.latitude) < WorldPoint.maximumLatitude else { return nil }
    let metresPerDegree = 111_320.0
    let height = radius / metresPerDegree
    let width = min(height / max(cos(point.latitude * .pi / 180), 0.01), 180)
    let edge = WorldPoint.maximumLatitude
    self.init(
      west: max(point.longitude - width, -180), south: max(point.latitude - height, -edge),
      east: min(point.longitude + width, 180), north: min(point.latitude + height, edge))
  }

  /// Parses `W,S,E,N` in degrees.
  ///
  /// - Returns: Nil for anything else, and for an empty area.
  public init?(typed text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.filter { $0 != " " })
    }
    guard parts.count == 4, let west = parts[0], let south = parts[1], let east = parts[2],
      let north = parts[3]
    else { return nil }
    self.init(west: west, south: south, east: east, north: north)
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
