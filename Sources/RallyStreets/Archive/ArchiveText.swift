import RallyText

/// Text of archives, which come from anywhere, for display.
enum ArchiveText {
  /// One line, cleaned for display, without spaces at its ends or in a row, of at most `limit`
  /// clusters.
  static func line(_ text: String, limit: Int) -> String {
    // Cut before it is cleaned, so that a long text costs little.
    let cleaned = String(text.unicodeScalars.prefix(limit * 8)).cleanedForDisplay
    let words = cleaned.split(separator: " ").map { $0.map(\.withFewMarks).joined() }
      .joined(separator: " ")
    let line = words.count > limit ? String(words.prefix(limit - 1)) + "…" : words
    return line.drawsNothing ? "" : line
  }

  /// The visible text of an HTML fragment, as attributions are: tags dropped, entities decoded.
  static func plain(html: String, limit: Int) -> String {
    var text = ""
    var rest = html.unicodeScalars.prefix(limit * 32)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "<":
        while let next = rest.popFirst(), next != ">" {}
        text += " "
      case "&":
        if let end = rest.prefix(10).firstIndex(of: ";"),
          let decoded = entity(String(rest[..<end]))
        {
          text.unicodeScalars.append(decoded)
          rest = rest[rest.index(after: end)...]
        } else {
          text += "&"
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return line(text, limit: limit)
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    if let known = known[name] { return known }
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let isHex = digits.hasPrefix("x") || digits.hasPrefix("X")
    let value = isHex ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init)
  }

  private static let known: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "copy": "©",
    "reg": "®", "middot": "·", "mdash": "—", "ndash": "–",
  ]
}
