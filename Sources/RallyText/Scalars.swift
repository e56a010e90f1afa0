extension Unicode.Scalar {
  /// Whether the scalar does something to a terminal or to the order of a line: controls (C0, DEL,
  /// C1), bidi marks, embeddings, overrides and isolates, separators of lines and paragraphs,
  /// interlinear annotations, the byte order mark, and tags, which hide text within text.
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
