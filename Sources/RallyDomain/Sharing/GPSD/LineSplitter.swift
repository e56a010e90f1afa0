import RallySystem

/// Splits a stream of bytes into lines. Longer lines than the limit are left out.
struct LineSplitter {
  /// Bytes of a line, without its end.
  static let limit = 64 << 10

  private var line: [UInt8] = []
  private var isTooLong = false

  /// Takes the next bytes, and calls `take` for each line that they complete, without `\r\n`.
  mutating func add(_ bytes: some Sequence<UInt8>, take: ([UInt8]) -> Void) {
    for byte in bytes {
      guard byte != UInt8(ascii: "\n") else {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !isTooLong, !line.isEmpty { take(line) }
        line.removeAll(keepingCapacity: line.capacity <= 4096)
        isTooLong = false
        continue
      }
      if line.count < Self.limit { line.append(byte) } else { isTooLong = true }
    }
  }
}
