/// Reads unsigned LEB128 integers, as in PMTiles directories.
struct VarintReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - offset }

  /// - Throws: `ArchiveError.damaged` at the end of the bytes or beyond 64 bits.
  mutating func next() throws(ArchiveError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      let byte = UInt64(bytes[offset])
      offset += 1
      guard shift < 63 || byte <= 1 else { break }
      value |= (byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw .damaged("a directory ends early")
  }
}

extension [UInt8] {
  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
