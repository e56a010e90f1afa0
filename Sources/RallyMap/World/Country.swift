/// A country, or a territory listed separately. The data contains no statement about sovereignty.
public struct Country: Hashable, Sendable, Identifiable {
  /// Index in `WorldMap.countries()`.
  public let id: Int
  /// English name as of 2024: Eswatini, North Macedonia, Czechia, Türkiye.
  public let name: String
  /// ISO 3166-1 alpha-2 code in upper case; nil where there is none.
  public let isoCode: String?
  /// Whether its status is disputed. Show its name only, never a flag or an owner.
  public let isDisputed: Bool
  /// Label priority by area: 0 is most important, 255 least.
  public let rank: UInt8
  /// Position of the name: the widest open place in the country's largest area, in world units. Nil
  /// where the data has no area (a territory known only from cities).
  public let label: CountryLabel?
}

/// The position and room for a country's name, in world units.
public struct CountryLabel: Hashable, Sendable {
  public let x: UInt16
  public let y: UInt16
  /// Size of the largest area's bounding box; a wider name would overlap neighbours.
  public let width: UInt16
  public let height: UInt16

  public var worldPoint: WorldPoint { WorldPoint(unitX: Double(x), unitY: Double(y)) }
}
