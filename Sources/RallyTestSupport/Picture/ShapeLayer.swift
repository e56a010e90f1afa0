/// The characters that are drawn as shapes: braille, lines and blocks; one SVG path per colour.
@MainActor struct ShapeLayer {
  private struct Ink {
    /// Braille dots: zero-length strokes with round caps.
    var dots = ""
    /// Thin strokes.
    var lines = ""
    /// Filled rectangles.
    var blocks = ""
  }

  private var inks: [String: Ink] = [:]
  /// The colours in the order of their first use, so that the output is deterministic.
  private var colors: [String] = []

  /// Draws a character if it is a shape; returns false for a letter.
  mutating func draw(_ sign: Unicode.Scalar, column: Int, row: Int, color: String) -> Bool {
    let (x, y) = (column * ScreenSVG.cell.width, row * ScreenSVG.cell.height)
    switch sign.value {
    case 0x2800...0x28FF:
      add(\.dots, Self.dots(sign.value - 0x2800, x, y), color)
    case 0x2500...0x257F:
      guard let path = Self.line(sign, x, y) else { return false }
      add(\.lines, path, color)
    case 0x2580...0x259F:
      guard let path = Self.block(sign, x, y) else { return false }
      add(\.blocks, path, color)
    default: return false
    }
    return true
  }

  private mutating func add(_ part: WritableKeyPath<Ink, String>, _ path: String, _ color: String) {
    if inks[color] == nil { colors.append(color) }
    inks[color, default: Ink()][keyPath: part] += path
  }

  var elements: [String] {
    colors.flatMap { color -> [String] in
      guard let ink = inks[color] else { return [] }
      return [
        ink.dots.isEmpty
          ? nil
          : "<path stroke=\"\(color)\" stroke-width=\"2.4\" stroke-linecap=\"round\" d=\"\(ink.dots)\"/>",
        ink.lines.isEmpty ? nil : "<path fill=\"none\" stroke=\"\(color)\" d=\"\(ink.lines)\"/>",
        ink.blocks.isEmpty ? nil : "<path fill=\"\(color)\" d=\"\(ink.blocks)\"/>",
      ].compactMap(\.self)
    }
  }

  // MARK: Signs

  /// Bits 0–2 and 6 are the left column from the top, 3–5 and 7 the right one (ISO/TR 11548-1).
  private static func dots(_ pattern: UInt32, _ x: Int, _ y: Int) -> String {
    let places = [(2, 2), (2, 6), (2, 10), (6, 2), (6, 6), (6, 10), (2, 14), (6, 14)]
    return places.enumerated().filter { pattern >> $0.offset & 1 == 1 }
      .map { "M\(x + $0.element.0) \(y + $0.element.1)h0" }.joined()
  }

  /// The segments of box-drawing characters: left, right, up, down.
  private static let arms: [Unicode.Scalar: String] = [
    "─": "lr", "│": "ud", "┌": "rd", "┐": "ld", "└": "ru", "┘": "lu", "├": "rud", "┤": "lud",
    "┬": "lrd", "┴": "lru", "┼": "lrud", "┄": "lr", "┆": "ud",
  ]

  private static func line(_ sign: Unicode.Scalar, _ x: Int, _ y: Int) -> String? {
    switch sign {
    case "╭": return "M\(x + 4) \(y + 16)v-4q0-4 4-4"
    case "╮": return "M\(x + 4) \(y + 16)v-4q0-4-4-4"
    case "╰": return "M\(x + 4) \(y)v4q0 4 4 4"
    case "╯": return "M\(x + 4) \(y)v4q0 4-4 4"
    default: break
    }
    guard let arms = arms[sign] else { return nil }
    return arms.map { arm in
      switch arm {
      case "l": "M\(x) \(y + 8)h4"
      case "r": "M\(x + 4) \(y + 8)h4"
      case "u": "M\(x + 4) \(y)v8"
      default: "M\(x + 4) \(y + 8)v8"
      }
    }.joined()
  }

  private static func block(_ sign: Unicode.Scalar, _ x: Int, _ y: Int) -> String? {
    func rect(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> String {
      "M\(x + left) \(y + top)h\(width)v\(height)h-\(width)z"
    }
    switch sign {
    case "█": return rect(0, 0, 8, 16)
    case "▀": return rect(0, 0, 8, 8)
    case "▄": return rect(0, 8, 8, 8)
    case "▌": return rect(0, 0, 4, 16)
    case "▐": return rect(4, 0, 4, 16)
    case "▖": return rect(0, 8, 4, 8)
    case "▗": return rect(4, 8, 4, 8)
    case "▘": return rect(0, 0, 4, 8)
    case "▝": return rect(4, 0, 4, 8)
    default: return nil
    }
  }
}
