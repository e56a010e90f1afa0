/// The integer grid of the packed world's vertices: the web Mercator square with 65,535 units per
/// side, x to the east from 180° W, y to the south from 85.0511° N. A unit is 611 m at the equator.
public enum WorldUnits {
  /// Units per side: x 0 and x 65,535 are the same meridian.
  public static let span = 65_535.0
}

extension WorldPoint {
  /// Converts a vertex from world units.
  public init(unitX: Double, unitY: Double) {
    self.init(x: unitX / WorldUnits.span, y: unitY / WorldUnits.span)
  }
}
