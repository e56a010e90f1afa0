/// Reads little-endian values from a section of the blob. Reading past the end throws
/// `WorldMapError.truncated`.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset: Int
  private let end: Int

  /// - Parameter range: The section; must lie within `bytes`.
  init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>) {
    self.bytes = bytes
    offset = range.lowerBound
    end = range.upperBound
  }

  var remaining: Int { end - offset }

  mutating func byte() throws(WorldMapError) -> UInt8 {
    guard offset < end else { throw .truncated(offset: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func uint16() throws(WorldMapError) -> UInt16 {
    guard remaining >= 2 else { throw .truncated(offset: offset) }
    defer { offset += 2 }
    return UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
  }

  mutating func uint24() throws(WorldMapError) -> UInt32 {
    guard remaining >= 3 else { throw .truncated(offset: offset) }
    defer { offset += 3 }
    return UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
  }

  mutating func uint32() throws(WorldMapError) -> UInt32 {
    guard remaining >= 4 else { throw .truncated(offset: offset) }
    return UInt32(try uint16()) | UInt32(try uint16()) << 16
  }

  /// Reads an unsigned LEB128 varint of at most five bytes, 0..<2^35.
  mutating func varint() throws(WorldMapError) -> Int {
    var value = 0
    for shift in stride(from: 0, through: 28, by: 7) {
      let next = try byte()
      value |= Int(next & 0x7f) << shift
      if next < 0x80 { return value }
    }
    throw .impossibleValue(offset: offset)
  }

  /// Reads a zigzag-encoded signed varint.
  mutating func zigzag() throws(WorldMapError) -> Int {
    let value = try varint()
    return value >> 1 ^ -(value & 1)
  }

  /// Reads an element count. Throws if that many elements of at least `bytesEach` bytes cannot fit
  /// in the rest of the section.
  mutating func count(bytesEach: Int) throws(WorldMapError) -> Int {
    let start = offset
    let count = try varint()
    guard count <= remaining / bytesEach else { throw .impossibleValue(offset: start) }
    return count
  }

  /// Reads a varint; throws unless it is below `count`.
  mutating func index(below count: Int) throws(WorldMapError) -> Int {
    let start = offset
    let index = try varint()
    guard index < count else { throw .impossibleValue(offset: start) }
    return index
  }

  /// Reads a length-prefixed text's byte range and skips over it.
  mutating func textRange() throws(WorldMapError) -> Range<Int> {
    let length = try count(bytesEach: 1)
    defer { offset += length }
    return offset..<offset + length
  }

  /// Reads a length-prefixed UTF-8 text; invalid bytes become replacement characters.
  mutating func text() throws(WorldMapError) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: bytes[try textRange()]), as: UTF8.self)
  }
}
