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

  /// The text with everything that acts on a display as `\uXXXX`, in UTF-16 units: for what must be
  /// written exactly, and within JSON strings, where it means the same.
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

extension Character {
  /// The most combining marks (general category M) in one grapheme cluster of a text that is shown.
  /// The longest clusters of real scripts, stacked Tibetan syllables, have eight.
  package static let marksLimit = 8

  /// The cluster without the marks beyond `marksLimit`.
  package var withFewMarks: String {
    guard unicodeScalars.count > Self.marksLimit else { return String(self) }
    var rest = Self.marksLimit
    var kept = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isMark {
        rest -= 1
        if rest < 0 { continue }
      }
      kept.append(scalar)
    }
    return String(kept)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar does something to a terminal or to the order of a line.
  ///
  /// These are controls (C0, DEL, C1), bidi marks, embeddings, overrides and isolates, and
  /// separators of lines and paragraphs. So are interlinear annotations, the byte order mark, and
  /// tags, which hide text within text.
  public var actsOnDisplay: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    case 0xFEFF, 0xFFF9...0xFFFB: true
    case 0xE0000...0xE00FF, 0xE01F0...0xE0FFF: true
    default: false
    }
  }

  /// A tag; a black flag with some of them is the flag of a region.
  package var isTag: Bool { (0xE0020...0xE007F).contains(value) }

  /// Whether the scalar is one of those that a cluster may only have `TextLimits.marks` of:
  /// the general categories Mn, Mc and Me, and tags.
  package var isMark: Bool {
    if value < 0x300 { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return isTag
    }
  }

  /// Whether the scalar has no glyph: spaces, controls, what Unicode has displays ignore (joiners,
  /// variation selectors, tags, the fillers of Hangul), and the braille pattern without dots.
  package var drawsNothing: Bool {
    properties.isWhitespace || properties.isDefaultIgnorableCodePoint || value == 0x2800
      || properties.generalCategory == .control
  }
}

extension StringProtocol {
  /// The text without white space and line breaks at its ends, also without zero-width spaces.
  package var trimmed: String {
    func isBlank(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || scalar.value == 0x200B
    }
    let scalars = unicodeScalars.drop(while: isBlank)
    guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
    return String(self[scalars.startIndex..<scalars.index(after: last)])
  }
}
