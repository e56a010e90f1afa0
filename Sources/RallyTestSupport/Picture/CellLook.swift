import RallyTUI

/// How a cell of a picture looks: colours as `#rrggbb`.
struct CellLook: Hashable {
  var foreground: String
  /// Nil for the screen's own.
  var background: String?
  var isBold: Bool
  var isUnderlined: Bool

  /// - Parameter ground: The screen's own background.
  init(_ appearance: Appearance, ground: String) {
    let attributes = appearance.attributes
    var ink = Self.color(appearance.foreground)
    if attributes.contains(.dim) { ink = Self.mix(ink, Self.rgb(ground), share: 0.6) }
    let paper = appearance.background < 0 ? nil : Self.hex(Self.color(appearance.background))
    if attributes.contains(.reverse) {
      foreground = paper ?? ground
      background = Self.hex(ink)
    } else {
      foreground = Self.hex(ink)
      background = paper
    }
    isBold = attributes.contains(.bold)
    isUnderlined = attributes.contains(.underline)
  }

  private typealias RGB = (red: Int, green: Int, blue: Int)

  /// What terminals commonly show for the first sixteen, on a dark background.
  private static let sixteen: [RGB] = [
    (0x3b, 0x42, 0x52), (0xe0, 0x6c, 0x75), (0x8f, 0xc5, 0x6b), (0xe2, 0xb8, 0x5c),
    (0x6f, 0xa8, 0xe8), (0xc6, 0x85, 0xd6), (0x5c, 0xc4, 0xcf), (0xd6, 0xda, 0xe0),
    (0x6b, 0x72, 0x80), (0xf0, 0x8a, 0x92), (0xa9, 0xd9, 0x88), (0xf0, 0xcd, 0x80),
    (0x93, 0xc0, 0xf2), (0xd8, 0xa5, 0xe4), (0x85, 0xd9, 0xe2), (0xff, 0xff, 0xff),
  ]

  /// The 256 colours of xterm: sixteen, a cube of six steps, 24 greys.
  private static func color(_ number: Int32) -> RGB {
    switch Int(number) {
    case ..<0: return sixteen[7]
    case 0..<16: return sixteen[Int(number)]
    case 16..<232:
      let index = Int(number) - 16
      func step(_ value: Int) -> Int { value == 0 ? 0 : 55 + 40 * value }
      return (step(index / 36), step(index / 6 % 6), step(index % 6))
    default:
      let grey = 8 + 10 * (Int(number) - 232)
      return (grey, grey, grey)
    }
  }

  private static func mix(_ one: RGB, _ other: RGB, share: Double) -> RGB {
    func mixed(_ a: Int, _ b: Int) -> Int { Int(Double(a) * share + Double(b) * (1 - share)) }
    return (
      mixed(one.red, other.red), mixed(one.green, other.green), mixed(one.blue, other.blue)
    )
  }

  private static func rgb(_ hex: String) -> RGB {
    let value = Int(hex.dropFirst(), radix: 16) ?? 0
    return (value >> 16, value >> 8 & 255, value & 255)
  }

  private static func hex(_ color: RGB) -> String {
    let value = color.red << 16 | color.green << 8 | color.blue
    let digits = String(value, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
