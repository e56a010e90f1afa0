extension RandomAccessCollection<UInt8> {
  /// The little-endian integer at an offset from the start; the bytes must be there.
  func littleEndian<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
    let start = index(startIndex, offsetBy: offset)
    let end = index(start, offsetBy: MemoryLayout<Value>.size)
    return self[start..<end].reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
  }
}

extension [UInt8] {
  mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}
