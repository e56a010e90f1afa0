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

extension StringProtocol {
  /// A name of Swift's as SQL and JSON write it: `user_id` for `userID`.
  package var snakeCased: String {
    var (name, isWord) = ("", false)
    for letter in self {
      if letter.isUppercase, isWord { name += "_" }
      isWord = !letter.isUppercase
      name += letter.lowercased()
    }
    return name
  }
}

extension String {
  /// The text as character data or an attribute's value of XML, and so of Pango and SVG.
  ///
  /// https://www.w3.org/TR/xml/#syntax
  package var escapedForMarkup: String {
    reduce(into: "") { escaped, character in
      escaped += Self.entities[character] ?? String(character)
    }
  }

  private static let entities: [Character: String] = [
    "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
  ]
}

extension String {
  /// The text as one word of a POSIX shell, quoted only where it has to be, for commands that are
  /// printed.
  public var shellWord: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: ":"),
          UInt8(ascii: "@"), UInt8(ascii: "%"), UInt8(ascii: "+"), UInt8(ascii: "="), 0x80...:
          true
        default: false
        }
      }
    if isPlain { return self }
    let quoted = split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    return "'\(quoted)'"
  }
}
