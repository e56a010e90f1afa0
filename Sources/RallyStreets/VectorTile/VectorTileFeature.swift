/// A feature of a layer: its properties and geometry are decoded when they are read.
struct VectorTileFeature {
  enum GeometryType: UInt64 {
    case point = 1
    case line = 2
    case polygon = 3
  }

  let id: UInt64?
  let type: GeometryType
  private let tags: Range<Int>
  private let commands: Range<Int>
  private let bytes: UnsafeRawBufferPointer

  private enum Field {
    static let id: UInt64 = 1
    static let tags: UInt64 = 2
    static let type: UInt64 = 3
    static let geometry: UInt64 = 4
  }

  /// - Parameter range: The feature's message within `bytes`.
  /// - Returns: Nil for a feature to be left out: of unknown type, without a geometry or with two,
  ///   with a key that has no value.
  init?(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) throws(VectorTileError) {
    var id: UInt64?
    var type: GeometryType?
    var tags: Range<Int>?
    var commands: Range<Int>?
    var isAmbiguous = false
    var reader = WireReader(bytes, range: range)
    while !reader.isAtEnd {
      let field = try reader.field()
      switch field.number {
      case Field.id: id = try reader.varint(field.type)
      case Field.tags:
        isAmbiguous = isAmbiguous || tags != nil
        tags = try reader.range(field.type)
      case Field.type: type = GeometryType(rawValue: try reader.varint(field.type))
      case Field.geometry:
        isAmbiguous = isAmbiguous || commands != nil
        commands = try reader.range(field.type)
      default: try reader.skip(field.type)
      }
    }
    guard let type, let commands, !commands.isEmpty, !isAmbiguous else { return nil }
    self.id = id
    self.type = type
    self.tags = tags ?? 0..<0
    self.commands = commands
    self.bytes = bytes
    // Each number's last byte has its highest bit clear.
    let numbers = bytes[self.tags].reduce(0) { $0 + Int(~$1 >> 7) }
    guard numbers % 2 == 0 else { return nil }
  }

  /// Calls `body` with the indices of each property's key and value.
  ///
  /// - Throws: `VectorTileError.missingProperty` for an index beyond the dictionary.
  @inline(__always)
  func forEachProperty(
    of dictionary: borrowing VectorTileDictionary,
    _ body: (_ key: Int, _ value: Int) throws(VectorTileError) -> Void
  ) throws(VectorTileError) {
    var reader = WireReader(bytes, range: tags)
    while !reader.isAtEnd {
      let start = reader.offset
      let (key, value) = (try reader.varint(), try reader.varint())
      guard key < UInt64(dictionary.keyCount), value < UInt64(dictionary.valueCount) else {
        throw .missingProperty(offset: start)
      }
      try body(Int(key), Int(value))
    }
  }

  var geometry: VectorTileGeometry {
    VectorTileGeometry(WireReader(bytes, range: commands), type: type)
  }
}

/// Decodes the commands of a feature's geometry one point at a time.
///
/// A point feature has only `move` steps. A line has a `move` and the rest of its points for each
/// run. A polygon has a `move`, the rest of its points and a `close` for each ring; the first point
/// is not repeated.
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
