/// A marker or cluster as drawn.
public struct PlacedPin: Hashable, Sendable {
  /// The marker's id, or those of all cluster members, by rank, label and id.
  public var ids: [String]
  /// The cells of the glyph, and of a cluster's count.
  public var span: CellSpan
  /// The cells of the label; nil when it had no room.
  public var label: CellSpan?
  /// The tag of the first marker.
  public var tag: UInt8

  public var column: Int { span.column }
  public var row: Int { span.row }
  public var count: Int { ids.count }
  public var isCluster: Bool { ids.count > 1 }
}
