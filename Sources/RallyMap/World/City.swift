/// A city of GeoNames.
public struct City: Hashable, Sendable, Identifiable {
  /// Its place in `WorldMap.cities()`, which is sorted by population.
  public let id: Int
  public let name: String
  /// Exact to 2 m.
  public let point: GeoPoint
  public let population: Int
  public let country: Country
  public let isCapital: Bool
  /// An IANA identifier: `Europe/Lisbon`.
  public let timeZone: String
}
