import TerminalKit

/// The style of a cell in a picture; colours as `#rrggbb`.
struct CellLook: Hashable {
  var foreground: String
  /// Nil for the screen's background.
  var background: String?
  var isBold: Bool
  var isUnderlined: Bool

  private static let ink: UInt32 = 0xD7D7D7

  /// - Parameters:
  ///   - appearance: With RGB colours (`ColorMode.direct`).
  ///   - ground: The screen's background.
  init(_ appearance: Appearance, ground: UInt32) {
    let attributes = appearance.attributes
    var ink = UInt32(exactly: appearance.foreground) ?? Self.ink
    if attributes.contains(.dim) { ink = Self.mix(ink, ground) }
    let paper = UInt32(exactly: appearance.background)
    if attributes.contains(.reverse) {
      foreground = Self.hex(paper ?? ground)
      background = Self.hex(ink)
    } else {
      foreground = Self.hex(ink)
      background = paper.map(Self.hex)
    }
    isBold = attributes.contains(.bold)
    isUnderlined = attributes.contains(.underline)
  }

  /// Mixes 60 % of one colour with 40 % of the other.
  private static func mix(_ one: UInt32, _ other: UInt32) -> UInt32 {
    [0, 8, 16].reduce(0) { mixed, shift in
      mixed | (3 * (one >> shift & 255) + 2 * (other >> shift & 255)) / 5 << shift
    }
  }

  static func hex(_ color: UInt32) -> String {
    let digits = String(color, radix: 16)
    return "#" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
