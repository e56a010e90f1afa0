/// A cursor over the bytes of a text file that tracks its line.
struct SourceLines {
  let bytes: [UInt8]
  private(set) var offset = 0
  /// The line of the next byte, from 1.
  private(set) var line = 1

  /// - Throws: `ImportProblem` if the bytes are not UTF-8.
  init(_ bytes: [UInt8]) throws(ImportProblem) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    if let end = Self.firstInvalid(in: bytes) {
      var reader = self
      while reader.offset < end { reader.advance() }
      throw ImportProblem(line: reader.line, "This line is not UTF-8 text.")
    }
  }

  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func advance() {
    guard offset < bytes.count else { return }
    let byte = bytes[offset]
    offset += 1
    // A line break at the end of the file does not start another line, so the number stays within
    // the file.
    guard offset < bytes.count else { return }
    if byte == 0x0A || (byte == 0x0D && bytes[offset] != 0x0A) { line += 1 }
  }

  mutating func advance(by count: Int) {
    for _ in 0..<count { advance() }
  }

  mutating func next() -> UInt8? {
    defer { advance() }
    return peek
  }

  mutating func skipSpace() {
    while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      advance()
    }
  }

  func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes[offset...].starts(with: $0) }
  }

  func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  /// The offset of the first invalid UTF-8 sequence; nil if there is none.
  private static func firstInvalid(in bytes: [UInt8]) -> Int? {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var valid = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): valid += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return min(valid, max(0, bytes.count - 1))
      }
    }
  }
}
