/// The characters that represent the dots of a cell.
public enum GlyphSet: String, Hashable, Sendable, CaseIterable {
  /// Braille patterns: 2 × 4 dots per cell.
  case braille
  /// Sextants: blocks of 2 × 3 dots per cell, without gaps (Unicode 13).
  case sextants
  /// Quadrant blocks: 2 × 2 dots per cell, for fonts without braille.
  case blocks
  /// ASCII characters that resemble the dots.
  case ascii
}
