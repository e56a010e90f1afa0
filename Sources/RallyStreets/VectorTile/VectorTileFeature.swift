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
