/// All lines of the world in one level of detail, in world units (`WorldUnits`).
///
/// To fill land: even-odd over the chunks whose `kind.bounds`; inner borders are not needed. The
/// world repeats every 65,535 units of x; seams at both edges have the same ends, so that they
/// cancel each other across the dateline.
public struct WorldLevel: Sendable {
  public let xs: ContiguousArray<UInt16>
  public let ys: ContiguousArray<UInt16>
  public let chunks: ContiguousArray<LineChunk>
  /// For each arc the index of its first chunk, and at the end the number of chunks.
  let arcStarts: ContiguousArray<UInt32>

  /// How many arcs, the lines between two meeting points, the level has.
  public var arcCount: Int { arcStarts.count - 1 }

  /// The chunks of one arc. `index` is 0..<arcCount.
  func chunks(ofArc index: Int) -> Range<Int> {
    Int(arcStarts[index])..<Int(arcStarts[index + 1])
  }
}
