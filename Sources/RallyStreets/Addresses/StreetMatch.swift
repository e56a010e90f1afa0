import RallyMap

/// A street or place whose name matches a search text.
public struct StreetMatch: Hashable, Sendable {
  public var name: String
  public var kind: GroundLabelKind
  /// The town or quarter that it is in; nil where none is known, and for towns.
  public var place: String?
  /// The middle of the street's longest run, or the place's point.
  public var point: GeoPoint
  /// Metres from the point that the search asked for to the nearest part of it.
  public var distance: Double
}
