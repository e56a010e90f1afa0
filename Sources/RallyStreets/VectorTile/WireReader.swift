/// Reads Protocol Buffers' wire format from a part of a tile's bytes.
///
/// Reading past the end throws `VectorTileError.truncated`. Valid only while the bytes are.
struct WireReader {
  /// How a field's content is encoded.
  enum WireType: UInt8 {
    case varint = 0
    case fixed64 = 1
    case bytes = 2
    case fixed32 = 5
  }

  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  let end: Int

  /// - Parameter range: The message; must lie within `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  var isAtEnd: Bool { offset >= end }
  var remaining: Int { end - offset }

  /// Reads an unsigned number of at most ten bytes; bits beyond 64 are dropped.
  @inline(__always)
  mutating func varint() throws(VectorTileError) -> UInt64 {
    guard offset < end else { throw .truncated(offset: offset) }
    let first = bytes[offset]
    offset += 1
    return first < 0x80 ? UInt64(first) : try longVarint(first)
  }

  private mutating func longVarint(_ first: UInt8) throws(VectorTileError) -> UInt64 {
    var value = UInt64(first & 0x7F)
    for shift in stride(from: UInt64(7), through: 63, by: 7) {
      guard offset < end else { throw .truncated(offset: offset) }
      let byte = bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
    }
    throw .notProtobuf(offset: offset)
  }

  /// Reads a field's number and wire type.
  mutating func field() throws(VectorTileError) -> (number: UInt64, type: WireType) {
    let start = offset
    let tag = try varint()
    guard let type = WireType(rawValue: UInt8(tag & 7)) else { throw .notProtobuf(offset: start) }
    return (tag >> 3, type)
  }

  /// Reads the content of a field that must be a number.
  mutating func varint(_ type: WireType) throws(VectorTileError) -> UInt64 {
    guard type == .varint else { throw .wrongWireType(offset: offset) }
    return try varint()
  }

  /// Reads the content of a field that must be a text, a packed list or a message: its range.
  mutating func range(_ type: WireType) throws(VectorTileError) -> Range<Int> {
    guard type == .bytes else { throw .wrongWireType(offset: offset) }
    let length = try varint()
    guard length <= UInt64(remaining) else { throw .truncated(offset: offset) }
    let start = offset
    offset += Int(length)
    return start..<offset
  }

  /// Reads the content of a field that must have 4 or 8 bytes, little-endian.
  mutating func fixed<Number: FixedWidthInteger>(
    _ type: WireType, as expected: WireType
  ) throws(VectorTileError) -> Number {
    guard type == expected else { throw .wrongWireType(offset: offset) }
    guard remaining >= MemoryLayout<Number>.size else { throw .truncated(offset: offset) }
    defer { offset += MemoryLayout<Number>.size }
    return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
  }

  /// Skips the content of a field that nobody reads.
  mutating func skip(_ type: WireType) throws(VectorTileError) {
    switch type {
    case .varint: _ = try varint()
    case .bytes: _ = try range(type)
    case .fixed32: let _: UInt32 = try fixed(type, as: .fixed32)
    case .fixed64: let _: UInt64 = try fixed(type, as: .fixed64)
    }
  }
}
