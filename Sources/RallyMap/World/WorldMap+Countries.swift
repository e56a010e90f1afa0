import Foundation

extension WorldMap {
  /// The country in which a place lies; lakes count as land of the country around them. Nil at sea.
  ///
  /// Coasts are those of the finest level, exact to about 2 km, and the smallest islands are
  /// missing; who asks for a person in a harbour should allow for that (5,000 m finds every
  /// capital).
  ///
  /// - Parameter tolerance: Metres; a place at sea that is not farther from a country's outline
  ///   belongs to the nearest one, or else to the country of the nearest city that is not farther.
  public func country(
    at point: GeoPoint, within tolerance: Double = 0
  ) throws(WorldMapError) -> Country? {
    let test = try hitTest()
    let point = point.normalized
    guard point.latitude.isFinite, point.longitude.isFinite else { return nil }
    let world = WorldPoint(point)
    let x = world.x * WorldUnits.span
    // Past the last row of vertices there is only the pole, and Antarctica around it.
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
