/// A short run of a line with its bounding box: the unit of culling. At most 97 vertices; a line
/// that is longer has several chunks, each of which begins with the last vertex of the one before.
public struct LineChunk: Hashable, Sendable {
  public let minX: UInt16
  public let minY: UInt16
  public let maxX: UInt16
  public let maxY: UInt16
  let first: UInt32
  let count: UInt16
  public let kind: LineKind

  /// Indices into the level's `xs` and `ys`, drawn from one to the next; two at least.
  public var points: Range<Int> {
    let start = Int(first)
    return start..<start + Int(count)
  }
}
