extension StringProtocol {
  /// The text as part of a URL (RFC 3986): every byte but letters, digits and `-._~` percent-encoded.
  ///
  /// - Parameter kept: ASCII characters that stay as they are too.
  package func percentEncoded(keeping kept: String = "") -> String {
    var encoded = ""
    for byte in utf8 {
      if byte.isAlphanumeric(or: "-._~") || kept.utf8.contains(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// The text that was percent-encoded; nil for a broken escape, and for bytes that are not UTF-8.
  package var percentDecoded: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue,
        let low = rest.popFirst()?.hexadecimalValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
