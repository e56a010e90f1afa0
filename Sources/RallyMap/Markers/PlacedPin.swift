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
