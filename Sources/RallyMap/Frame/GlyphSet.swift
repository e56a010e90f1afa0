/// What the dots of a cell become.
public enum GlyphSet: String, Hashable, Sendable, CaseIterable {
  /// Braille patterns: 2x4 dots a cell.
  case braille
  /// Quadrant blocks: 2x2 dots a cell, for fonts without braille.
  case blocks
  /// Letters of ASCII that look like the dots.
  case ascii
}
