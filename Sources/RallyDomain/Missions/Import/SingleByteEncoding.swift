import Glibc

/// Encodings of text of a byte for each character, such as `windows-1252`, as the C library has
/// them.
enum SingleByteEncoding {
  /// What each of the 256 bytes is; nil for a byte that is nothing.
  ///
  /// - Returns: Nil if the C library does not know the name, or a character may take several bytes.
  static func scalars(of name: UnsafePointer<CChar>) -> [Unicode.Scalar?]? {
    guard let converter = iconv_open("UTF-32LE", name), converter != invalid else { return nil }
    defer { iconv_close(converter) }
    var scalars: [Unicode.Scalar?] = []
    for byte in UInt8.min...UInt8.max {
      var (input, output) = (CChar(bitPattern: byte), UInt32(0))
      let (isRead, reason) = withUnsafeMutableBytes(of: &input) { input in
        withUnsafeMutableBytes(of: &output) { output in
          var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
          var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
          var (fromLeft, toLeft) = (input.count, output.count)
          let count = iconv(converter, &from, &fromLeft, &to, &toLeft)
          return (count != -1 && toLeft == 0, errno)
        }
      }
      guard isRead || reason == EILSEQ else { return nil }
      scalars.append(isRead ? Unicode.Scalar(UInt32(littleEndian: output)) : nil)
    }
    return scalars
  }

  /// What `iconv_open` returns on failure.
  private static var invalid: iconv_t? { iconv_t(bitPattern: -1) }
}
