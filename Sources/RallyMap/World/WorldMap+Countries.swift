import Glibc

extension WorldMap {
  /// The country that contains a point; nil at sea. Lakes belong to the country around them.
  ///
  /// Coasts are those of the finest level, accurate to about 2 km, without the smallest islands.
  /// For people, who may be in a harbour, pass a tolerance (5,000 m finds every capital).
  ///
  /// - Parameter tolerance: Metres. A point at sea within this distance of an outline belongs to
  ///   the nearest country, or else to the country of the nearest city within this distance.
  /// - Throws: `WorldMapError` when the world data is damaged.
  public func country(
    at point: GeoPoint, within tolerance: Double = 0
  ) throws(WorldMapError) -> Country? {
    let test = try hitTest()
    let point = point.normalized
    guard point.latitude.isFinite, point.longitude.isFinite else { return nil }
    let world = WorldPoint(point)
    let x = world.x * WorldUnits.span
    // South of the last row of vertices there is only Antarctica.
    let y = min(world.y * WorldUnits.span, WorldUnits.span - 0.5)
    if let index = test.country(x: x, y: y) { return try countries()[index] }
    guard tolerance > 0 else { return nil }
    let metresPerUnit =
      2 * .pi * GeoPoint.earthRadius / WorldUnits.span
      * max(cos(point.latitude * .pi / 180), 0.05)
    if let index = test.nearestCountry(x: x, y: y, radius: tolerance / metresPerUnit) {
      return try countries()[index]
    }
    return try nearestCity(to: point, within: tolerance)?.city.country
  }
}
