extension StringProtocol {
  /// The text without anything that could act on a terminal or reorder a line.
  ///
  /// Scalars that act on a display (`Unicode.Scalar.actsOnDisplay`) are dropped; a tab, a line
  /// break and a separator of lines or paragraphs become one space. Joiners and variation
  /// selectors stay, since emoji and several scripts need them, and so do the tags of a flag.
  /// The length stays: `TextLimits` limits it. Whether the result shows anything at all says
  /// `drawsNothing`.
  public var cleanedForDisplay: String {
    if utf8.allSatisfy({ $0.isPrintableASCII }) { return String(self) }
    var cleaned = String.UnicodeScalarView()
    var isInFlag = false
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: cleaned.append(" ")
      case _ where scalar.isTag && isInFlag: cleaned.append(scalar)
      case _ where scalar.actsOnDisplay: continue
      default: cleaned.append(scalar)
      }
      isInFlag = scalar.value == 0x1F3F4 || isInFlag && scalar.isTag
    }
    return String(cleaned)
  }

  /// The text with everything that acts on a display as `\uXXXX`, in UTF-16 units: for what must
  /// be told exactly, and within JSON strings, where it means the same.
  public var escapedForDisplay: String {
    guard unicodeScalars.contains(where: \.actsOnDisplay) else { return String(self) }
    var escaped = ""
    for scalar in unicodeScalars {
      guard scalar.actsOnDisplay else {
        escaped.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16, uppercase: true)
        escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return escaped
  }

  /// Whether nothing would be seen of the text: it is empty, or made of spaces, joiners, fillers
  /// and other scalars without a glyph alone.
  public var drawsNothing: Bool { unicodeScalars.allSatisfy(\.drawsNothing) }
}
