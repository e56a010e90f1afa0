/// Decodes the commands of a feature's geometry one point at a time.
///
/// A point feature has only `move` steps, a line a `move` and the rest of its points for each run,
/// a polygon a `move`, the rest of its points and a `close` for each ring, the first point not
/// repeated.
struct VectorTileGeometry {
  enum Step { case move, line, close }

  private var reader: WireReader
  private let type: VectorTileFeature.GeometryType
  private var step = Step.close
  /// How many more points the current command has.
  private var count = 0
  private var hasBegun = false
  /// The last point, in the layer's units. At most 2^53, since every coordinate takes a byte.
  private(set) var x = 0
  private(set) var y = 0

  init(_ reader: WireReader, type: VectorTileFeature.GeometryType) {
    self.reader = reader
    self.type = type
  }

  /// Moves to the next point; nil at the end.
  ///
  /// - Throws: `VectorTileError.impossibleGeometry` for commands that the type does not allow, and
  ///   for a count with fewer coordinates than it says.
  @inline(__always)
  mutating func next() throws(VectorTileError) -> Step? {
    while count == 0 {
      if reader.isAtEnd { return nil }
      if try readCommand() { return .close }
    }
    count -= 1
    x &+= try coordinate()
    y &+= try coordinate()
    return step
  }

  /// - Returns: Whether the command closes a ring, and has no points.
  private mutating func readCommand() throws(VectorTileError) -> Bool {
    let start = reader.offset
    let command = try reader.varint()
    // Nothing is allocated by the count; the coordinates end long before a count that is too large.
    count = Int(min(command >> 3, UInt64(UInt32.max)))
    switch command & 7 {
    case 1:
      step = .move
      hasBegun = count > 0
    case 2 where hasBegun && type != .point:
      step = .line
    case 7 where hasBegun && type == .polygon && count == 1:
      count = 0
      hasBegun = false
      return true
    default: throw .impossibleGeometry(offset: start)
    }
    return false
  }

  @inline(__always)
  private mutating func coordinate() throws(VectorTileError) -> Int {
    guard !reader.isAtEnd else { throw .impossibleGeometry(offset: reader.offset) }
    let zigzag = UInt32(truncatingIfNeeded: try reader.varint())
    return Int(Int32(bitPattern: zigzag >> 1) ^ -Int32(bitPattern: zigzag & 1))
  }
}
