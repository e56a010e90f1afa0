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

/// The keys and values of a layer, found and checked but not decoded.
struct VectorTileDictionary {
  private let bytes: UnsafeRawBufferPointer
  /// Where the length of each key and each value stands.
  private var keys: ContiguousArray<UInt32> = []
  private var values: ContiguousArray<UInt32> = []

  /// A value whose text has not been decoded.
  private enum Content {
    case text(Range<Int>)
    case other(VectorTileValue)
  }

  init(_ bytes: UnsafeRawBufferPointer, keyCount: Int, valueCount: Int) {
    self.bytes = bytes
    keys.reserveCapacity(keyCount)
    values.reserveCapacity(valueCount)
  }

  var keyCount: Int { keys.count }
  var valueCount: Int { values.count }

  /// - Parameter offset: Where the key's length stands; offsets fit in 32 bits, since tiles have at
  ///   most `TileLimits.unpackedTile`.
  mutating func appendKey(at offset: Int) throws(VectorTileError) {
    _ = try range(at: UInt32(offset))
    keys.append(UInt32(offset))
  }

  /// - Throws: `VectorTileError.unknownValue` when the message is not exactly one value of a known
  ///   type.
  mutating func appendValue(at offset: Int) throws(VectorTileError) {
    _ = try content(at: UInt32(offset))
    values.append(UInt32(offset))
  }

  /// - Parameter index: 0..<`keyCount`.
  func key(at index: Int) -> String {
    // `appendKey` has read it without an error.
    (try? range(at: keys[index])).map(text) ?? ""
  }

  /// - Parameter index: 0..<`valueCount`.
  func value(at index: Int) throws(VectorTileError) -> VectorTileValue {
    switch try content(at: values[index]) {
    case .text(let range): .string(text(range))
    case .other(let value): value
    }
  }

  /// The bytes of a value that is a text; nil for other types.
  ///
  /// - Parameter index: 0..<`valueCount`.
  func textBytes(at index: Int) -> UnsafeRawBufferPointer? {
    // `appendValue` has read it without an error.
    guard case .text(let range)? = try? content(at: values[index]) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  private func range(at offset: UInt32) throws(VectorTileError) -> Range<Int> {
    var reader = WireReader(bytes, range: Int(offset)..<bytes.count)
    return try reader.range(.bytes)
  }

  private func content(at offset: UInt32) throws(VectorTileError) -> Content {
    let range = try range(at: offset)
    var reader = WireReader(bytes, range: range)
    guard !reader.isAtEnd else { throw .unknownValue(offset: range.lowerBound) }
    let field = try reader.field()
    let content: Content
    switch field.number {
    case 1: content = .text(try reader.range(field.type))
    case 2: content = .other(.float(Float(bitPattern: try reader.fixed(field.type, as: .fixed32))))
    case 3:
      content = .other(.double(Double(bitPattern: try reader.fixed(field.type, as: .fixed64))))
    case 4: content = .other(.int(Int64(bitPattern: try reader.varint(field.type))))
    case 5: content = .other(.uint(try reader.varint(field.type)))
    case 6:
      let zigzag = try reader.varint(field.type)
      content = .other(.int(Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)))
    case 7: content = .other(.bool(try reader.varint(field.type) != 0))
    default: throw .unknownValue(offset: range.lowerBound)
    }
    guard reader.isAtEnd else { throw .unknownValue(offset: range.lowerBound) }
    return content
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }
}

/// A property's value.
enum VectorTileValue: Hashable, Sendable {
  case string(String)
  case float(Float)
  case double(Double)
  case int(Int64)
  case uint(UInt64)
  case bool(Bool)
}

extension VectorTileValue {
  /// The value as a whole number, whichever type the encoder chose; nil for a text, for NaN, and
  /// beyond 2^53.
  var integer: Int? {
    switch self {
    case .string: nil
    case .float(let value): Int(exactly: value.rounded())
    case .double(let value): Int(exactly: value.rounded())
    case .int(let value): Int(value)
    case .uint(let value): Int(exactly: value)
    case .bool(let value): value ? 1 : 0
    }
  }
}
