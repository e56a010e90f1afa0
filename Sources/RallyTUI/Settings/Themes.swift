import RallyDomain
import TerminalKit

extension ThemeSetting {
  /// The theme, or the question for the terminal's background that decides it.
  public var choice: ThemeChoice {
    switch self {
    case .terminal: .fixed(.terminal)
    case .dark: .fixed(.dark)
    case .light: .fixed(.light)
    case .highContrast: .fixed(.highContrast)
    case .auto: .byBackground(light: .light, dark: .dark, unknown: .terminal)
    }
  }
}

extension Theme {
  /// Uses the owner's sixteen colours on the owner's background, so it is readable wherever the
  /// shell is; state is said by a glyph and a word as well. Where there are 256, the map is in
  /// muted ones, each of which is readable on white and on black (at least 3.5:1 on both for
  /// lines, 4.5:1 for names).
  public static let terminal = Theme(looks: [
    .normal: Look(),
    .dim: Look(.terminal, .dim),
    .accent: Look(.own(6)),
    .success: Look(.own(2)),
    .warning: Look(.own(3)),
    .danger: Look(.own(1), .bold),
    .selection: Look(.terminal, .reverse),
    .rule: Look(.terminal, .dim),
    .title: Look(.terminal, .bold),
    .qrCode: .qrCode,
    .mapCoast: Look(.xterm(67, own: 6)),
    .mapLake: Look(.xterm(67, own: 6)),
    .mapBorder: Look(.xterm(95, own: 3)),
    .mapState: Look(.xterm(101, own: nil), onFew: .dim),
    .mapCountry: Look(.xterm(243, own: nil), onFew: .dim),
    .mapCity: Look(.xterm(243, own: nil)),
    .mapGreen: Look(.xterm(65, own: 2)),
    .mapBuilding: Look(.xterm(95, own: nil), onFew: .dim),
    .mapPath: Look(.xterm(243, own: nil), onFew: .dim),
    .mapRail: Look(.xterm(96, own: 5)),
    .mapStreet: Look(.xterm(243, own: nil)),
    .mapSecondaryRoad: Look(.xterm(101, own: 3)),
    .mapPrimaryRoad: Look(.xterm(130, own: 3), onFew: .bold),
    .mapMotorway: Look(.xterm(167, own: 1), onFew: .bold),
    .mapStreetName: Look(.xterm(243, own: nil)),
    .mapWaterName: Look(.xterm(67, own: 6)),
    .mapCityLight: Look(.xterm(130, own: 3)),
  ])

  /// At least 4.5:1 on every background from black to #303030, on 256 colours too.
  public static let dark = Theme(
    looks: [
      .normal: Look(.rgb(0xD7D7D7, own: nil)),
      .dim: Look(.rgb(0xA0A0A0, own: nil)),
      .accent: Look(.rgb(0x5FD7FF, own: 14)),
      .success: Look(.rgb(0x87D75F, own: 10)),
      .warning: Look(.rgb(0xFFD75F, own: 11)),
      .danger: Look(.rgb(0xFF8787, own: 9), .bold),
      .selection: Look(.rgb(0x1C1C1C, own: 0), on: .rgb(0xAFD7FF, own: 14)),
      .rule: Look(.rgb(0x9E9E9E, own: nil)),
      .title: Look(.rgb(0xFFFFFF, own: 15), .bold),
      .qrCode: .qrCode,
      .mapCoast: Look(.rgb(0x87AFD7, own: 14)),
      .mapLake: Look(.rgb(0x5FAFD7, own: 14)),
      .mapBorder: Look(.rgb(0xAF9F87, own: 3)),
      .mapState: Look(.rgb(0x9E9E9E, own: nil)),
      .mapCountry: Look(.rgb(0xC6C6C6, own: nil)),
      .mapCity: Look(.rgb(0xE4E4E4, own: nil)),
      .mapGreen: Look(.rgb(0x87AF5F, own: 2)),
      .mapBuilding: Look(.rgb(0xA89F94, own: nil)),
      .mapPath: Look(.rgb(0xAFAFAF, own: nil)),
      .mapRail: Look(.rgb(0xC0A0C0, own: 5)),
      .mapStreet: Look(.rgb(0xBCBCBC, own: nil)),
      .mapSecondaryRoad: Look(.rgb(0xD7D7AF, own: 3)),
      .mapPrimaryRoad: Look(.rgb(0xFFD787, own: 11)),
      .mapMotorway: Look(.rgb(0xFFAF5F, own: 9), onFew: .bold),
      .mapStreetName: Look(.rgb(0xE4E4E4, own: nil)),
      .mapWaterName: Look(.rgb(0x87D7FF, own: 14)),
      .mapCityLight: Look(.rgb(0xFFD787, own: 11)),
      .mapPin: Look(.rgb(0x1C1C1C, own: 0), on: .rgb(0xBCBCBC, own: 7)),
      .mapPinFresh: Look(.rgb(0x101C0C, own: 0), on: .rgb(0x87D75F, own: 10)),
      .fillSea: .area(0x0B1A2B, xterm: 16),
      .fillLand: .area(0x1B1D1C, xterm: 235),
      .fillGreen: .area(0x16301C, xterm: 22),
      .fillWater: .area(0x0F2A45, xterm: 17),
      .fillBuilding: .area(0x33302B, xterm: 237),
    ], dimsByColor: true,
    shading: Shading(
      night: 0x000004, share: 0.85, tints: [0x87D75F, 0xD7D7D7, 0x5FD7FF], share: 0.14))

  /// At least 4.5:1 on every background from white to #EEE8D5, on 256 colours too.
  public static let light = Theme(
    looks: [
      .normal: Look(.rgb(0x262626, own: nil)),
      .dim: Look(.rgb(0x585858, own: nil)),
      .accent: Look(.rgb(0x005F87, own: 4)),
      .success: Look(.rgb(0x005F00, own: 2)),
      .warning: Look(.rgb(0x6B4A00, own: 3)),
      .danger: Look(.rgb(0xAF0000, own: 1), .bold),
      .selection: Look(.rgb(0xFFFFFF, own: 15), on: .rgb(0x005F87, own: 4)),
      .rule: Look(.rgb(0x626262, own: nil)),
      .title: Look(.rgb(0x000000, own: 0), .bold),
      .qrCode: .qrCode,
      .mapCoast: Look(.rgb(0x005F87, own: 4)),
      .mapLake: Look(.rgb(0x005F87, own: 4)),
      .mapBorder: Look(.rgb(0x5F5040, own: 3)),
      .mapState: Look(.rgb(0x585858, own: nil)),
      .mapCountry: Look(.rgb(0x4E4E4E, own: nil)),
      .mapCity: Look(.rgb(0x262626, own: nil)),
      .mapGreen: Look(.rgb(0x3F6F2F, own: 2)),
      .mapBuilding: Look(.rgb(0x6A5F50, own: nil)),
      .mapPath: Look(.rgb(0x626262, own: nil)),
      .mapRail: Look(.rgb(0x6F3F6F, own: 5)),
      .mapStreet: Look(.rgb(0x4E4E4E, own: nil)),
      .mapSecondaryRoad: Look(.rgb(0x5F5F00, own: 3)),
      .mapPrimaryRoad: Look(.rgb(0x875F00, own: 3), onFew: .bold),
      .mapMotorway: Look(.rgb(0x9C2F00, own: 1), onFew: .bold),
      .mapStreetName: Look(.rgb(0x262626, own: nil)),
      .mapWaterName: Look(.rgb(0x005F87, own: 4)),
      .mapCityLight: Look(.rgb(0x875F00, own: 3)),
      .mapPin: Look(.rgb(0xFFFFFF, own: 15), on: .rgb(0x585858, own: 8)),
      .mapPinFresh: Look(.rgb(0xFFFFFF, own: 15), on: .rgb(0x005F00, own: 2)),
      .fillSea: .area(0xDCEAF5, xterm: 195),
      .fillLand: .area(0xF4F1EA, xterm: 255),
      .fillGreen: .area(0xD9EBCB, xterm: 194),
      .fillWater: .area(0xC6DFF2, xterm: 189),
      .fillBuilding: .area(0xE4DCD0, xterm: 253),
    ], dimsByColor: true,
    shading: Shading(
      night: 0xCCD4EE, share: 0.8, tints: [0xB8F0B8, 0xF8E4B8, 0xB8E4FF], share: 0.5))

  /// At least 7:1 everywhere, on a black that it paints itself.
  public static let highContrast: Theme = {
    func look(_ rgb: UInt32, _ own: UInt8, _ attributes: TextAttributes = []) -> Look {
      Look(.rgb(rgb, own: own), on: black, attributes)
    }
    let black = Color.rgb(0x000000, own: 0)
    return Theme(
      looks: [
        .normal: look(0xFFFFFF, 15),
        .dim: look(0xD0D0D0, 7),
        .accent: look(0x00FFFF, 14, .bold),
        .success: look(0x87FF87, 10, .bold),
        .warning: look(0xFFFF00, 11, .bold),
        .danger: look(0xFFAFAF, 9, [.bold, .underline]),
        .selection: Look(black, on: .rgb(0xFFFF00, own: 11), .bold),
        .rule: look(0xFFFFFF, 15),
        .title: look(0xFFFFFF, 15, .bold),
        .qrCode: .qrCode,
        .mapCoast: look(0xFFFFFF, 15),
        .mapLake: look(0x87D7FF, 14),
        .mapBorder: look(0xFFD787, 11),
        .mapState: look(0xD0D0D0, 7),
        .mapCountry: look(0xFFFFFF, 15),
        .mapCity: look(0xFFFFFF, 15),
        .mapGreen: look(0xAFFF87, 10),
        .mapBuilding: look(0xD0D0D0, 7),
        .mapPath: look(0xD0D0D0, 7),
        .mapRail: look(0xFFAFFF, 13),
        .mapStreet: look(0xFFFFFF, 15),
        .mapSecondaryRoad: look(0xFFFFAF, 15),
        .mapPrimaryRoad: look(0xFFFF00, 11),
        .mapMotorway: look(0xFFAF87, 9, .bold),
        .mapStreetName: look(0xFFFFFF, 15),
        .mapWaterName: look(0x87D7FF, 14),
        .mapCityLight: look(0xFFFF00, 11),
        .mapPin: Look(black, on: .rgb(0xD0D0D0, own: 7), .bold),
        .mapPinFresh: Look(black, on: .rgb(0x87FF87, own: 10), .bold),
      ], dimsByColor: true)
  }()
}

extension Theme.Look {
  /// Dark on light whatever the theme: many readers find no other codes.
  fileprivate static let qrCode = Theme.Look(
    .rgb(0x000000, own: 0), on: .rgb(0xFFFFFF, own: 15))

  /// An area: everything that is drawn in it is invisible.
  fileprivate static func area(_ rgb: UInt32, xterm: UInt8) -> Theme.Look {
    Theme.Look(.area(rgb, xterm: xterm), on: .area(rgb, xterm: xterm))
  }

  fileprivate init(_ foreground: Color, _ attributes: TextAttributes) {
    self.init(foreground, on: .terminal, attributes)
  }
}
