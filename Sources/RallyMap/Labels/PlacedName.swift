/// A city or country whose label was drawn.
public struct PlacedName: Hashable, Sendable {
  public enum Place: Hashable, Sendable {
    /// `City.id`
    case city(Int)
    /// `Country.id`
    case country(Int)
    /// A name of a street archive.
    case ground(String)
  }

  public var place: Place
  /// The cells of the name.
  public var span: CellSpan
  /// The cell of the city's dot; for a country the centre of its area, which has no dot.
  public var anchor: CellSpan
}
