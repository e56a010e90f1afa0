/// Maps the eight dots of a cell to one scalar of a glyph set.
enum CellGlyphs {
  /// A table of 256 scalars, one for each pattern of dots.
  static func table(_ set: GlyphSet) -> ContiguousArray<Unicode.Scalar> {
    switch set {
    case .braille: braille
    case .sextants: sextants
    case .blocks: blocks
    case .ascii: ascii
    }
  }

  private static let braille = patterns { dots in
    dots == 0 ? " " : Unicode.Scalar(0x2800 + UInt32(dots)) ?? " "
  }

  /// The two middle rows of dots form one row. Sextants are numbered by their six bits, row by row;
  /// four of the patterns are older characters.
  private static let sextants = patterns { dots in
    let number: UInt32 =
      (dots & 0x01 == 0 ? 0 : 1) | (dots & 0x08 == 0 ? 0 : 2) | (dots & 0x06 == 0 ? 0 : 4)
      | (dots & 0x30 == 0 ? 0 : 8) | (dots & 0x40 == 0 ? 0 : 16) | (dots & 0x80 == 0 ? 0 : 32)
    switch number {
    case 0: return " "
    case 21: return "▌"
    case 42: return "▐"
    case 63: return "█"
    case let number:
      let older: UInt32 = number < 21 ? 1 : number < 42 ? 2 : 3
      return Unicode.Scalar(0x1FB00 + number - older) ?? " "
    }
  }

  /// Each pair of vertically adjacent dots forms one quadrant.
  private static let blocks: ContiguousArray<Unicode.Scalar> = {
    let quadrants: [Unicode.Scalar] = [
      " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]
    return patterns { dots in
      quadrants[
        (dots & 0x03 == 0 ? 0 : 1) | (dots & 0x18 == 0 ? 0 : 2) | (dots & 0x44 == 0 ? 0 : 4)
          | (dots & 0xa0 == 0 ? 0 : 8)]
    }
  }()

  /// ASCII characters with their shapes as dots; the nearest shape is chosen.
  private static let shapes: [(Unicode.Scalar, [String])] = [
    ("'", ["# ", "# ", "  ", "  "]), ("'", [" #", " #", "  ", "  "]),
    ("'", ["# ", "  ", "  ", "  "]), ("'", [" #", "  ", "  ", "  "]),
    ("'", ["##", "# ", "  ", "  "]), ("'", ["##", " #", "  ", "  "]),
    ("\"", ["##", "##", "  ", "  "]), ("\"", ["##", "  ", "  ", "  "]),
    ("-", ["  ", "##", "  ", "  "]), ("-", ["  ", "  ", "##", "  "]),
    ("-", ["  ", "# ", "  ", "  "]), ("-", ["  ", " #", "  ", "  "]),
    ("-", ["  ", "  ", "# ", "  "]), ("-", ["  ", "  ", " #", "  "]),
    ("-", ["  ", "# ", " #", "  "]), ("-", ["  ", " #", "# ", "  "]),
    ("=", ["  ", "##", "##", "  "]), ("=", ["##", "  ", "##", "  "]),
    ("_", ["  ", "  ", "  ", "##"]), (".", ["  ", "  ", "  ", "# "]),
    (".", ["  ", "  ", "  ", " #"]), (".", ["  ", "  ", "# ", "# "]),
    (".", ["  ", "  ", " #", " #"]), (".", ["  ", "  ", "##", "# "]),
    (".", ["  ", "  ", "##", " #"]), (",", ["  ", "  ", " #", "# "]),
    (".", ["  ", "  ", "# ", " #"]), ("_", ["  ", "  ", "##", "##"]),
    ("|", ["# ", "# ", "# ", "# "]), ("|", [" #", " #", " #", " #"]),
    ("|", ["# ", "# ", "# ", "  "]), ("|", [" #", " #", " #", "  "]),
    ("|", ["  ", "# ", "# ", "# "]), ("|", ["  ", " #", " #", " #"]),
    ("|", ["  ", "# ", "# ", "  "]), ("|", ["  ", " #", " #", "  "]),
    ("/", [" #", " #", "# ", "# "]), ("/", [" #", "# ", "# ", "# "]),
    ("/", [" #", " #", " #", "# "]), ("/", [" #", "# ", "  ", "  "]),
    ("/", ["  ", " #", "# ", "# "]), ("/", [" #", " #", "# ", "  "]),
    ("/", [" #", "# ", "# ", "  "]), ("/", ["  ", " #", " #", "# "]),
    ("\\", ["# ", "# ", " #", " #"]), ("\\", ["# ", " #", " #", " #"]),
    ("\\", ["# ", "# ", "# ", " #"]), ("\\", ["# ", " #", "  ", "  "]),
    ("\\", ["  ", "# ", " #", " #"]), ("\\", ["# ", "# ", " #", "  "]),
    ("\\", ["# ", " #", " #", "  "]), ("\\", ["  ", "# ", "# ", " #"]),
    ("(", [" #", "# ", "# ", " #"]), (")", ["# ", " #", " #", "# "]),
    ("[", ["##", "# ", "# ", "##"]), ("]", ["##", " #", " #", "##"]),
    ("#", ["##", "##", "##", "##"]), ("+", ["# ", "##", "##", "# "]),
    ("L", ["# ", "# ", "# ", "##"]), ("J", [" #", " #", " #", "##"]),
    ("7", ["##", " #", " #", "# "]), ("F", ["##", "# ", "# ", "# "]),
  ]

  private static let ascii: ContiguousArray<Unicode.Scalar> = {
    let drawn = shapes.map { scalar, lines in (scalar, bits(lines)) }
    return patterns { dots in
      if dots == 0 { return " " }
      // Ties are won by the first shape in the table.
      let nearest = drawn.min {
        ($0.1 ^ dots).nonzeroBitCount < ($1.1 ^ dots).nonzeroBitCount
      }
      return nearest?.0 ?? "#"
    }
  }()

  private static func bits(_ lines: [String]) -> UInt8 {
    var bits: UInt8 = 0
    for (y, line) in lines.enumerated() {
      for (x, character) in line.enumerated() where character == "#" {
        bits |= DotCanvas.bit(x: x, y: y)
      }
    }
    return bits
  }

  private static func patterns(
    _ scalar: (UInt8) -> Unicode.Scalar
  ) -> ContiguousArray<Unicode.Scalar> {
    ContiguousArray((0...255).map { scalar(UInt8($0)) })
  }
}

extension CompassPoint {
  /// "↑", "↗", … or an ASCII substitute.
  public func arrow(_ glyphs: GlyphSet) -> Character {
    let arrows: [Character] =
      glyphs == .ascii
      ? ["^", "/", ">", "\\", "v", "/", "<", "\\"] : ["↑", "↗", "→", "↘", "↓", "↙", "←", "↖"]
    return arrows[rawValue]
  }
}
