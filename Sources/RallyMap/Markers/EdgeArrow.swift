/// Markers that are out of view, at the edge where one would leave toward them.
public struct EdgeArrow: Hashable, Sendable {
  /// Those in this direction: the nearest first.
  public var ids: [String]
  /// The cell of the arrow itself.
  public var column: Int
  public var row: Int
  /// "↑" "↗" "→" …, or its likeness in ASCII.
  public var glyph: Character
  /// All the cells, with the words.
  public var span: CellSpan
  /// To the nearest of them, metres.
  public var distance: Double
}
