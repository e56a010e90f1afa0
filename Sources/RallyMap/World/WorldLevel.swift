/// All lines of the world at one level of detail, in world units (`WorldUnits`).
///
/// To fill land, apply the even-odd rule to the chunks whose `kind.bounds` is true; inner borders
/// are not needed. The world repeats every 65,535 units of x. Seams at both edges have the same end
/// points, so they cancel out across the antimeridian.
public struct WorldLevel: Sendable {
  public let xs: ContiguousArray<UInt16>
  public let ys: ContiguousArray<UInt16>
  public let chunks: ContiguousArray<LineChunk>
  /// Index of the first chunk of each arc, followed by the number of chunks.
  let arcStarts: ContiguousArray<UInt32>

  /// The number of arcs (lines between two junctions).
  public var arcCount: Int { arcStarts.count - 1 }

  /// The chunks of one arc. `index` is 0..<arcCount.
  func chunks(ofArc index: Int) -> Range<Int> {
    Int(arcStarts[index])..<Int(arcStarts[index + 1])
  }
}
