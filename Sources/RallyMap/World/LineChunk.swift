/// A piece of a line with its bounding box, the unit of culling. At most 97 vertices; in longer
/// lines each chunk starts with the last vertex of the previous one.
public struct LineChunk: Hashable, Sendable {
  public let minX: UInt16
  public let minY: UInt16
  public let maxX: UInt16
  public let maxY: UInt16
  let first: UInt32
  let count: UInt16
  public let kind: LineKind

  /// Indices of consecutive vertices in the level's `xs` and `ys`; at least two.
  public var points: Range<Int> {
    let start = Int(first)
    return start..<start + Int(count)
  }
}
