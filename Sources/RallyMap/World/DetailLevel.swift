/// How finely coasts and borders are drawn: each level is the same topology, simplified arc by arc,
/// so that neighbours stay glued to each other on every level.
///
/// What a decoded level takes of memory: 4 bytes a vertex and 16 a chunk; about 70, 140, 250 and
/// 400 kB.
public enum DetailLevel: UInt8, CaseIterable, Comparable, Hashable, Sendable {
  /// Tolerance 60 units, islands of less than 60 by 60 units left out: the whole world at once.
  case world = 0
  /// Tolerance 20 units, islands of less than 14 by 14 units left out.
  case continent = 1
  /// Tolerance 5 units, islands of less than 5 by 5 units left out.
  case region = 2
  /// All that the source has (1:50 million), on a grid of units; the level that hit tests use.
  case finest = 3

  /// The coarsest level whose error stays below about one dot.
  ///
  /// - Parameter unitsPerDot: World units (`WorldUnits`) that one dot of the canvas covers; not
  ///   positive means finest.
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
