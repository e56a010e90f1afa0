/// The eight compass directions.
public enum CompassPoint: Int, CaseIterable, Hashable, Sendable {
  case north, northEast, east, southEast, south, southWest, west, northWest

  /// The direction nearest to a bearing in degrees clockwise from north; north for NaN and
  /// infinity.
  public init(bearing: Double) {
    let turned = bearing.truncatingRemainder(dividingBy: 360)
    let steps = turned.isFinite ? Int((turned / 45).rounded()) % 8 : 0
    self = Self.allCases[(steps + 8) % 8]
  }

  /// "N", "NE", …
  public var letters: String {
    ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][rawValue]
  }

  /// "↑", "↗", … or an ASCII substitute.
  public func arrow(_ glyphs: GlyphSet) -> Character {
    let arrows: [Character] =
      glyphs == .ascii
      ? ["^", "/", ">", "\\", "v", "/", "<", "\\"] : ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
    return arrows[rawValue]
  }

  /// The offset of the neighbouring cell: columns to the east, rows to the south.
  var step: (column: Int, row: Int) {
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)][rawValue]
  }
}
