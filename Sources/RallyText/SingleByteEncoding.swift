import Glibc

/// An encoding of text of a byte for each character, such as `windows-1252`, as the C library has it.
package struct SingleByteEncoding {
  /// What each of the 256 bytes is; nil for a byte that is nothing by itself.
  package let scalars: [Unicode.Scalar?]
  /// Whether no byte waits for the next one, as letters do that may get an accent.
  package let isComplete: Bool

  /// - Parameter name: As iconv names it.
  /// - Returns: nil if the C library does not have the name, or a character takes several bytes.
  package init?(_ name: UnsafePointer<CChar>) {
    guard let converter = iconv_open("UTF-32LE", name), converter != Self.invalid else {
      return nil
    }
    defer { iconv_close(converter) }
    var scalars: [Unicode.Scalar?] = []
    var isComplete = true
    for byte in UInt8.min...UInt8.max {
      // Nothing of the byte before is left.
      iconv(converter, nil, nil, nil, nil)
      var (input, output) = (CChar(bitPattern: byte), UInt32(0))
      let (isRead, isWhole, reason) = withUnsafeMutableBytes(of: &input) { input in
        withUnsafeMutableBytes(of: &output) { output in
          var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
          var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
          var (fromLeft, toLeft) = (input.count, output.count)
          let count = iconv(converter, &from, &fromLeft, &to, &toLeft)
          return (count != -1, toLeft == 0, errno)
        }
      }
      if !isRead, reason == EINVAL { return nil }
      if isRead ? !isWhole : reason != EILSEQ { isComplete = false }
      scalars.append(isRead && isWhole ? Unicode.Scalar(UInt32(littleEndian: output)) : nil)
    }
    self.scalars = scalars
    self.isComplete = isComplete
  }

  /// What `iconv_open` returns on failure.
  private static var invalid: iconv_t? { iconv_t(bitPattern: -1) }
}
