/// The characters that represent the dots of a cell.
public enum GlyphSet: String, Hashable, Sendable, CaseIterable {
  /// Braille patterns: 2 × 4 dots per cell.
  case braille
  /// Quadrant blocks: 2 × 2 dots per cell, for fonts without braille.
  case blocks
  /// ASCII characters that resemble the dots.
  case ascii
}
