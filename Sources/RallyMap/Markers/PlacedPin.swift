/// Cells side by side in one row.
public struct CellSpan: Hashable, Sendable {
  public var column: Int
  public var row: Int
  public var width: Int

  public init(column: Int, row: Int, width: Int) {
    self.column = column
    self.row = row
    self.width = width
  }

  public func contains(column: Int, row: Int) -> Bool {
    row == self.row && (self.column..<(self.column + width)).contains(column)
  }

  /// With one cell more on both sides.
  var widened: CellSpan { CellSpan(column: column - 1, row: row, width: width + 2) }
}

/// A marker or a cluster of them as it was drawn.
public struct PlacedPin: Hashable, Sendable {
  /// One marker, or all of a cluster: by rank, then by id.
  public var ids: [String]
  /// The cells of the glyph, and of a cluster's count.
  public var span: CellSpan
  /// The cells of the words, nil where they found no room.
  public var label: CellSpan?
  /// The tag of the first marker.
  public var tag: UInt8

  public var column: Int { span.column }
  public var row: Int { span.row }
  public var count: Int { ids.count }
  public var isCluster: Bool { ids.count > 1 }
}

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
