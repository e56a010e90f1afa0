import Testing

@testable import RallyTUI

struct MapThemeTests {
  private static let map: [Role] = [
    .mapLand, .mapCoast, .mapLake, .mapBorder, .mapState, .mapCountry, .mapCity,
  ]

  /// Relative luminance of an xterm colour from 16 on (WCAG 2.1, "relative luminance"; the cube's
  /// levels are 0, 95, 135, 175, 215, 255, the greys 8 + 10 n).
  private func luminance(_ color: Int) -> Double {
    let levels = [0, 95, 135, 175, 215, 255]
    let channels =
      color >= 232
      ? Array(repeating: 8 + 10 * (color - 232), count: 3)
      : [(color - 16) / 36, (color - 16) / 6 % 6, (color - 16) % 6].map { levels[$0] }
    let linear = channels.map { channel -> Double in
      let value = Double(channel) / 255
      return value <= 0.03928 ? value / 12.92 : pow24((value + 0.055) / 1.055)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  /// To the power of 2.4: the fifth root of the twelfth power.
  private func pow24(_ value: Double) -> Double {
    var root = value
    let target = (0..<12).reduce(1.0) { product, _ in product * value }
    for _ in 0..<60 {
      root = (4 * root + target / (root * root * root * root)) / 5
    }
    return root
  }

  @Test(arguments: map) func `lines of the map are readable on black and on white`(role: Role) {
    let color = Int(Theme.standard256.resolve(Style(role), mode: .palette).foreground)
    let light = luminance(color)
    let least = role == .mapCountry || role == .mapCity ? 4.5 : 3.5
    #expect((light + 0.05) / 0.05 >= least)
    #expect(1.05 / (light + 0.05) >= least)
  }

  @Test(arguments: map) func `sixteen colours and none at all are enough`(role: Role) {
    let few = Theme.standard.resolve(Style(role), mode: .palette)
    #expect(few.foreground < 16)
    let none = Theme.standard256.resolve(Style(role), mode: .mono)
    #expect(none.foreground == -1 && none.background == -1)
  }
}
