extension StringProtocol {
  /// The text without anything that could act on a terminal or reorder a line.
  ///
  /// Control characters (C0, DEL, C1 and so every escape sequence's start), bidi embeddings,
  /// overrides and isolates, line and paragraph separators, interlinear and tag characters are
  /// dropped; a tab or a line break becomes one space. Joiners and variation selectors stay:
  /// they belong to emoji and to several scripts.
  public var cleanedForDisplay: String {
    if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return String(self) }
    var cleaned = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x85, 0x2028, 0x2029: cleaned.append(" ")
      case 0x00...0x1F, 0x7F...0x9F: continue
      case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: continue
      case 0xFFF9...0xFFFB, 0xE0000...0xE001F, 0xFEFF: continue
      default: cleaned.append(scalar)
      }
    }
    return String(cleaned)
  }
}
