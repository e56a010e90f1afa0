/// An arrow at the edge of the map that points to one or more markers out of view.
public struct EdgeArrow: Hashable, Sendable {
  /// Ids of the markers in this direction, nearest first.
  public var ids: [String]
  /// The cell of the arrow itself.
  public var column: Int
  public var row: Int
  /// "↑" "↗" "→" …, or an ASCII substitute.
  public var glyph: Character
  /// The cells of arrow and text.
  public var span: CellSpan
  /// Distance to the nearest marker in metres.
  public var distance: Double
}
