/// Level of detail of coasts and borders. All levels share one topology and are simplified arc by
/// arc, so that neighbouring areas stay joined.
///
/// A decoded level takes 4 bytes per vertex and 16 per chunk: about 70, 140, 250 and 400 kB.
public enum DetailLevel: UInt8, CaseIterable, Comparable, Hashable, Sendable {
  /// For the whole world: tolerance 60 world units, islands smaller than 60 × 60 units dropped.
  case world = 0
  /// Tolerance 20 units, islands smaller than 14 × 14 units dropped.
  case continent = 1
  /// Tolerance 5 units, islands smaller than 5 × 5 units dropped.
  case region = 2
  /// The unsimplified source (Natural Earth 1:50 million) on the unit grid; used by hit tests.
  case finest = 3

  /// The coarsest level whose error stays below about one dot.
  ///
  /// - Parameter unitsPerDot: World units (`WorldUnits`) per dot of the canvas; zero and negative
  ///   values select the finest level.
  public init(unitsPerDot: Double) {
    switch unitsPerDot {
    case 75...: self = .world
    case 25...: self = .continent
    case 7...: self = .region
    default: self = .finest
    }
  }

  public static func < (left: DetailLevel, right: DetailLevel) -> Bool {
    left.rawValue < right.rawValue
  }

  var section: WorldSection {
    switch self {
    case .world: .level0
    case .continent: .level1
    case .region: .level2
    case .finest: .level3
    }
  }
}
