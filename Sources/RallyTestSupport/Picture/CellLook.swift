import TerminalKit

/// The style of a cell in a picture; colours as `#rrggbb`.
struct CellLook: Hashable {
  var foreground: String
  /// Nil for the screen's background.
  var background: String?
  var isBold: Bool
  var isUnderlined: Bool

  /// The terminal's own text on a dark and on a light background.
  private static let inks: (onDark: UInt32, onLight: UInt32) = (0xD7D7D7, 0x1B2430)

  /// - Parameters:
  ///   - appearance: With the numbers of `mode`.
  ///   - ground: The screen's background.
  init(_ appearance: Appearance, _ mode: ColorMode, ground: UInt32) {
    let attributes = appearance.attributes
    var ink =
      Self.rgb(appearance.foreground, mode)
      ?? (ground >> 8 & 255 < 128 ? Self.inks.onDark : Self.inks.onLight)
    if attributes.contains(.dim) { ink = Self.mix(ink, ground) }
    let paper = Self.rgb(appearance.background, mode)
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

  /// What a number of a mode is drawn as; nil for the terminal's own text or background.
  private static func rgb(_ number: Int32, _ mode: ColorMode) -> UInt32? {
    guard mode != .direct, let index = UInt8(exactly: number) else {
      return UInt32(exactly: number)
    }
    return index < 16 ? xterm[Int(index)] : XtermPalette.rgb(index)
  }

  /// xterm's first sixteen colours.
  private static let xterm: [UInt32] = [
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
  ]

  /// Mixes 60 % of one colour with 40 % of the other.
  private static func mix(_ one: UInt32, _ other: UInt32) -> UInt32 {
    [UInt32(0), 8, 16].reduce(0) { mixed, shift in
      let (ink, paper): (UInt32, UInt32) = (one >> shift & 255, other >> shift & 255)
      let channel = (3 * ink + 2 * paper) / 5
      return mixed | channel << shift
    }
  }

  static func hex(_ color: UInt32) -> String {
    let digits = String(color, radix: 16)
    return "#" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
