/// A country, or a territory that has a code or a life of its own. The world's data says nothing
/// about who owns what.
public struct Country: Hashable, Sendable, Identifiable {
  /// Its place in `WorldMap.countries()`.
  public let id: Int
  /// The name in English, as of 2024: Eswatini, North Macedonia, Czechia, Türkiye.
  public let name: String
  /// ISO 3166-1 alpha-2, in capitals; nil where there is none.
  public let isoCode: String?
  /// Whether its status is disputed: a name may be drawn, a flag or an owner may not.
  public let isDisputed: Bool
  /// How important its label is: 0 first, 255 last, by area.
  public let rank: UInt8
  /// Where its name may stand: the middle of the widest open place in its largest area, in world
  /// units. Nil where the data has no area (a territory that only cities name).
  public let label: CountryLabel?
}

/// Where a country's name may stand, in world units.
public struct CountryLabel: Hashable, Sendable {
  public let x: UInt16
  public let y: UInt16
  /// Width and height of the largest area's bounding box: a name that is wider than this stands on
  /// its neighbours.
  public let width: UInt16
  public let height: UInt16

  public var worldPoint: WorldPoint { WorldPoint(unitX: Double(x), unitY: Double(y)) }
}
