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
    // It could be read when it was appended.
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
    // It could be read when it was appended.
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
