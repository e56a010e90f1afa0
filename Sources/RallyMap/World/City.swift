/// A city from GeoNames.
public struct City: Hashable, Sendable, Identifiable {
  /// Index in `WorldMap.cities()`, which is sorted by population.
  public let id: Int
  public let name: String
  /// Accurate to 2 m.
  public let point: GeoPoint
  public let population: Int
  public let country: Country
  public let isCapital: Bool
  /// An IANA time zone identifier: `Europe/Lisbon`.
  public let timeZone: String
}
