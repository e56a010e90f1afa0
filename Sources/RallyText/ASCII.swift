extension UInt8 {
  /// Whether it is one of `0` to `9`.
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  /// Whether it is one of `a` to `z`.
  package var isASCIILowercase: Bool { self &- UInt8(ascii: "a") < 26 }

  /// Whether it is one of `A` to `Z`.
  package var isASCIIUppercase: Bool { self &- UInt8(ascii: "A") < 26 }

  /// Whether it is a letter of either case or a digit.
  package var isASCIIAlphanumeric: Bool { isASCIILowercase || isASCIIUppercase || isASCIIDigit }

  /// Whether it is a blank or a character that is seen.
  @inlinable package var isPrintableASCII: Bool { self >= 0x20 && self < 0x7F }

  /// The value of a hexadecimal digit of either case; nil for anything else.
  @inlinable package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether it is of the alphabet of base64url (RFC 4648, section 5), without padding.
  package var isBase64URL: Bool {
    isASCIIAlphanumeric || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }

  /// Whether it is alphanumeric or one of a few other characters.
  package func isAlphanumeric(or others: StaticString) -> Bool {
    isASCIIAlphanumeric
      || others.withUTF8Buffer { $0.contains(self) }
  }
}
