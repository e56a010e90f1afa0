/// A layer of a vector tile: features that share a dictionary of keys and values.
struct VectorTileLayer {
  let name: String
  /// 1 or 2.
  let version: Int
  /// Units along a side of the tile, 1..<2^32.
  let extent: Int
  private let keyCount: Int
  private let valueCount: Int
  private let bytes: UnsafeRawBufferPointer
  private let range: Range<Int>

  private enum Field {
    static let name: UInt64 = 1
    static let feature: UInt64 = 2
    static let key: UInt64 = 3
    static let value: UInt64 = 4
    static let extent: UInt64 = 5
    static let version: UInt64 = 15
  }

  /// - Parameter range: The layer's message within `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) throws(VectorTileError) {
    var name = ""
    var version: UInt64?
    var extent: UInt64 = 4_096
    var keyCount = 0
    var valueCount = 0
    var reader = WireReader(bytes, range: range)
    while !reader.isAtEnd {
      let field = try reader.field()
      switch field.number {
      case Field.name: name = Self.text(bytes, try reader.range(field.type))
      case Field.feature: _ = try reader.range(field.type)
      case Field.key:
        _ = try reader.range(field.type)
        keyCount += 1
      case Field.value:
        _ = try reader.range(field.type)
        valueCount += 1
      case Field.extent: extent = try reader.varint(field.type)
      case Field.version: version = try reader.varint(field.type)
      default: try reader.skip(field.type)
      }
    }
    guard !name.isEmpty else { throw .unnamedLayer }
    guard let version, (1...2).contains(version) else { throw .unknownVersion(version) }
    guard (1...UInt64(UInt32.max)).contains(extent) else { throw .impossibleExtent(extent) }
    self.name = name
    self.version = Int(version)
    self.extent = Int(extent)
    self.keyCount = keyCount
    self.valueCount = valueCount
    self.bytes = bytes
    self.range = range
  }

  /// The keys and values that the features' properties refer to.
  func dictionary() throws(VectorTileError) -> VectorTileDictionary {
    var dictionary = VectorTileDictionary(bytes, keyCount: keyCount, valueCount: valueCount)
    var reader = WireReader(bytes, range: range)
    while !reader.isAtEnd {
      let field = try reader.field()
      switch field.number {
      case Field.key: try dictionary.appendKey(at: reader.offset)
      case Field.value: try dictionary.appendValue(at: reader.offset)
      default: break
      }
      try reader.skip(field.type)
    }
    return dictionary
  }

  /// Decodes one feature after the other, in the tile's order; features that a decoder is to leave
  /// out are left out.
  func forEachFeature(
    _ body: (VectorTileFeature) throws(VectorTileError) -> Void
  ) throws(VectorTileError) {
    var reader = WireReader(bytes, range: range)
    while !reader.isAtEnd {
      let field = try reader.field()
      guard field.number == Field.feature else {
        try reader.skip(field.type)
        continue
      }
      let range = try reader.range(field.type)
      if let feature = try VectorTileFeature(bytes, range: range) { try body(feature) }
    }
  }

  private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }
}
