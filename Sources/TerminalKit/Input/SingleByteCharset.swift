/// A charset whose letters are single bytes, such as ISO 8859-1 or KOI8-R. Its first half is ASCII.
public struct SingleByteCharset: Hashable, Sendable {
  /// What the bytes from 0x80 on mean; nil for those without a letter.
  private let upper: [Unicode.Scalar?]

  /// - Parameter upper: The letters of the bytes from 0x80 on.
  /// - Returns: nil unless there are 128.
  public init?(upper: [Unicode.Scalar?]) {
    guard upper.count == 128 else { return nil }
    // Control characters are no letters: the decoder has dropped them from UTF-8 as well.
    self.upper = upper.map { $0.flatMap { $0.value >= 0xA0 ? $0 : nil } }
  }

  /// The letter of a byte; nil where it has none, and for ASCII's control characters.
  public subscript(byte: UInt8) -> Unicode.Scalar? {
    switch byte {
    case 0x80...: upper[Int(byte) - 0x80]
    case 0x20..<0x7F: Unicode.Scalar(byte)
    default: nil
    }
  }

  /// A text in this charset; bytes without a letter become U+FFFD, control characters stay.
  public func text(_ bytes: some Sequence<UInt8>) -> String {
    var scalars = String.UnicodeScalarView()
    for byte in bytes {
      scalars.append(byte < 0x80 ? Unicode.Scalar(byte) : self[byte] ?? "\u{FFFD}")
    }
    return String(scalars)
  }
}
