import Foundation
import RallyDomain
import Testing

@testable import RallyWords
@testable import TerminalKit

struct ThemesTests {
  /// What a terminal's background may be where a theme does not paint its own.
  private static let backgrounds: [ThemeSetting: [UInt32]] = [
    .dark: [0x000000, 0x1C1C1C, 0x282C34, 0x303030],
    .light: [0xFFFFFF, 0xFDF6E3, 0xEEEEEE, 0xEEE8D5],
    .highContrast: [0x000000],
  ]

  /// Contrast of two colours, 1...21 (WCAG 2.1, "contrast ratio" and "relative luminance").
  private func contrast(_ one: UInt32, _ other: UInt32) -> Double {
    func luminance(_ rgb: UInt32) -> Double {
      let channels = [rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255].map { channel -> Double in
        let value = Double(channel) / 255
        return value <= 0.03928 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }
    let (light, dark) = (
      max(luminance(one), luminance(other)), min(luminance(one), luminance(other))
    )
    return (light + 0.05) / (dark + 0.05)
  }

  /// The colour that a number stands for; nil for the terminal's own.
  private func rgb(_ number: Int32, _ mode: ColorMode) -> UInt32? {
    guard number >= 0 else { return nil }
    return mode == .direct
      ? UInt32(number) : UInt8(exactly: number).map { XtermPalette.rgb($0) }
  }

  @Test(
    arguments: [ThemeSetting.dark, .light, .highContrast],
    [ColorMode.direct, .indexed])
  func `every role of every theme can be read on every background`(
    name: ThemeSetting, mode: ColorMode
  ) throws {
    let theme = name.choice.theme(isBackgroundLight: nil)
    let least = name == .highContrast ? 7.0 : 4.5
    for role in Role.allCases where !Role.fills.contains(role) && role != .rule {
      for attributes in [TextAttributes(), .dim, .bold] {
        let look = theme.resolve(Style(role, attributes), mode: mode)
        let foreground = try #require(rgb(look.foreground, mode), "\(role)")
        let painted = rgb(look.background, mode)
        for background in painted.map({ [$0] }) ?? Self.backgrounds[name] ?? [] {
          #expect(
            contrast(foreground, background) >= least, "\(role) on \(String(background, radix: 16))"
          )
        }
        #expect(!look.attributes.contains(.dim), "the terminal's dimming has no known contrast")
      }
    }
  }

  private static let names: [Role] = [
    .mapCountry, .mapCity, .mapStreetName, .mapWaterName, .mapLiveName, .mapOlder, .mapYou,
    .mapMission,
  ]
  private static let near: [Role] = [.fillTown, .fillPark, .fillBuilding]
  private static let roads: [Role] = [
    .mapPath, .mapRail, .mapStreet, .mapSecondaryRoad, .mapPrimaryRoad, .mapMotorway,
  ]

  /// The contrast of a role with what lies under it.
  private func contrast(
    of role: Role, on backdrop: Backdrop, _ theme: Theme, _ mode: ColorMode
  ) throws -> Double {
    let look = theme.resolve(Style(role, on: backdrop), mode: mode)
    return contrast(
      try #require(rgb(look.foreground, mode)), try #require(rgb(look.background, mode)))
  }

  @Test(arguments: [ThemeSetting.dark, .light], [ColorMode.direct, .indexed])
  func `names and people can be read on every area, in every light and over every disc`(
    name: ThemeSetting, mode: ColorMode
  ) throws {
    let theme = name.choice.theme(isBackgroundLight: nil)
    #expect(theme.paintsAreas(in: mode))
    for backdrop in Backdrop.all where backdrop != .none {
      for role in Self.names {
        #expect(
          try contrast(of: role, on: backdrop, theme, mode) >= 4.5,
          "\(role) on \(backdrop.area) \(backdrop.light) \(backdrop.tint)")
      }
      #expect(try contrast(of: .mapLive, on: backdrop, theme, mode) >= 3)
    }
  }

  @Test(arguments: [ThemeSetting.dark, .light], [ColorMode.direct, .indexed])
  func `coasts, borders and roads are seen on what they cross, by day and by night`(
    name: ThemeSetting, mode: ColorMode
  ) throws {
    let theme = name.choice.theme(isBackgroundLight: nil)
    for night in 0...Backdrop.deepestNight {
      func least(_ role: Role, _ areas: [Role]) throws -> Double {
        try areas.map { try contrast(of: role, on: Backdrop($0, night: night), theme, mode) }
          .min() ?? 0
      }
      let coast: Role =
        Backdrop(.fillSea, night: night).light <= .dusk ? .mapCoast : .mapCoastNight
      for role in [coast, .mapGrid] {
        #expect(try least(role, [.fillSea, .fillLand]) >= 3, "\(role), \(night)")
      }
      for role in [Role.mapBorder, .mapState, .mapCityLight] {
        #expect(try least(role, [.fillLand]) >= 3, "\(role), \(night)")
      }
      for role in Self.roads {
        #expect(try least(role, Self.near) >= 3, "\(role), \(night)")
        #expect(try least(role, [.fillWater]) >= 2.2, "\(role) on a bridge, \(night)")
      }
    }
  }

  @Test(arguments: [ThemeSetting.dark, .light], [ColorMode.direct, .indexed])
  func `land and sea differ in every light, and a disc lies over both`(
    name: ThemeSetting, mode: ColorMode
  ) throws {
    let theme = name.choice.theme(isBackgroundLight: nil)
    func background(_ backdrop: Backdrop) throws -> UInt32 {
      try #require(rgb(theme.resolve(Style(.normal, on: backdrop), mode: mode).background, mode))
    }
    for night in 0...Backdrop.deepestNight {
      let (sea, land) = (Backdrop(.fillSea, night: night), Backdrop(.fillLand, night: night))
      #expect(contrast(try background(sea), try background(land)) >= 1.3, "\(night)")
      #expect(try background(sea) != 0, "night darkens, it never blackens")
    }
    for area in [Role.fillLand, .fillSea, .fillTown, .fillWater] {
      let tints = Backdrop.Tint.allCases.map { Backdrop(area, tint: $0) }
      #expect(Set(try tints.map(background)).count == tints.count, "\(area)")
    }
    // The shore is seen within a disc too.
    for tint in Backdrop.Tint.allCases {
      let (water, town) = (Backdrop(.fillWater, tint: tint), Backdrop(.fillTown, tint: tint))
      #expect(try background(water) != background(town), "\(tint)")
    }
    // Of two halves the upper one, which is the glyph, is in the same light.
    let upper = theme.resolve(
      Style(.fillWater, on: Backdrop(.fillLand, night: 5, tint: .you)), mode: mode)
    #expect(
      rgb(upper.foreground, mode)
        == (try background(Backdrop(.fillWater, night: 5, tint: .you))))
  }

  @Test(arguments: ThemeSetting.allCases, [true, false])
  func `on eight colours every theme has a selection bar, and only colours that there are`(
    name: ThemeSetting, isLight: Bool
  ) {
    let theme = name.choice.theme(isBackgroundLight: isLight)
    for role in Role.allCases {
      let look = theme.resolve(Style(role), mode: .sixteen).inEightColors
      #expect(look.foreground < 8 && look.background < 8)
      guard role == .selection else { continue }
      #expect(look.attributes.contains(.reverse) || look.background >= 0)
      #expect(look.background < 0 || look.foreground != look.background)
    }
  }

  @Test func `a backdrop keeps its area, light and tint in one byte`() {
    #expect(Set(Backdrop.all.map(\.rawValue)).count == Backdrop.all.count)
    for area in Role.fills {
      for night in 0...Backdrop.deepestNight {
        for tint in Backdrop.Tint.allCases {
          let backdrop = Backdrop(area, night: night, tint: tint)
          #expect(backdrop.area == area && backdrop.tint == tint)
          #expect(backdrop.light == Backdrop.Light(depth: night))
        }
      }
    }
    #expect(Backdrop(.accent, night: 3, tint: .live) == .none)
  }

  @Test(arguments: [ThemeSetting.dark, .light], [ColorMode.direct, .indexed])
  func `the areas of a map are told apart by their colours`(name: ThemeSetting, mode: ColorMode) {
    let theme = name.choice.theme(isBackgroundLight: nil)
    let near: [Role] = [.fillTown, .fillPark, .fillWater, .fillBuilding]
    #expect(Set(near.map { theme.resolve(Style($0), mode: mode).background }).count == near.count)
    let far: [Role] = [.fillSea, .fillLand]
    #expect(Set(far.map { theme.resolve(Style($0), mode: mode).background }).count == 2)
  }

  @Test(arguments: ThemeSetting.allCases)
  func `with sixteen colours or none no area is painted`(name: ThemeSetting) {
    let theme = name.choice.theme(isBackgroundLight: false)
    #expect(!theme.paintsAreas(in: .sixteen) && !theme.paintsAreas(in: .mono))
    let painted = theme.resolve(
      Style(.normal, on: Backdrop(.fillWater, night: 4, tint: .live)), mode: .sixteen)
    #expect(painted == theme.resolve(.normal, mode: .sixteen))
  }

  @Test(
    arguments: TerminalPalette.all, [ColorMode.direct, .indexed, .sixteen])
  func `the terminal's own theme is readable in the usual schemes`(
    palette: TerminalPalette, mode: ColorMode
  ) {
    // Nothing on a background is more readable than the text that its scheme has for it.
    let text = min(4.5, contrast(palette.foreground, palette.background))
    for role in Role.allCases where !Role.fills.contains(role) && role != .qrCode {
      for attributes in [TextAttributes(), .dim, .bold] {
        let look = Theme.terminal.resolve(Style(role, attributes), mode: mode)
        #expect(!look.attributes.contains(.dim), "the terminal's dimming has no known contrast")
        #expect(look.background < 0, "\(role) lies on the owner's background")
        let color =
          look.foreground < 0
          ? palette.foreground
          : mode == .direct && look.foreground > 255
            ? UInt32(look.foreground) : palette.rgb(UInt8(look.foreground))
        let least = Self.lines.contains(role) ? 3 : text
        #expect(
          contrast(color, palette.background) >= least,
          "\(role) is \(String(color, radix: 16)) in \(palette.name)")
      }
    }
  }

  private static let lines: Set<Role> = [
    .rule, .mapCoast, .mapCoastNight, .mapLake, .mapBorder, .mapState, .mapGreen, .mapBuilding,
    .mapPath, .mapRail, .mapStreet, .mapSecondaryRoad, .mapPrimaryRoad, .mapMotorway,
    .mapCityLight,
  ]

  @Test(arguments: ThemeSetting.allCases) func `sixteen colours and none at all are enough`(
    name: ThemeSetting
  ) {
    let theme = name.choice.theme(isBackgroundLight: true)
    for role in Role.allCases {
      let few = theme.resolve(Style(role), mode: .sixteen)
      #expect(few.foreground < 16 && few.background < 16)
      let none = theme.resolve(Style(role), mode: .mono)
      #expect(none.foreground == -1 && none.background == -1)
    }
  }

  @Test func `with sixteen colours the dark and the light theme are readable on xterm's`() throws {
    // A mark is told by its form, a park by its pattern.
    let shapes: Set<Role> = [.mapLive, .mapGreen]
    // Letters stand for people on painted areas alone.
    let letters: Set<Role> = [.mapPin, .mapPinFresh, .mapPinSelected]
    for (theme, name) in [(Theme.dark, "xterm on black"), (.light, "xterm on white")] {
      let palette = try #require(TerminalPalette.all.first { $0.name == name })
      for role in Role.allCases where !Role.fills.contains(role) && !letters.contains(role) {
        for attributes in [TextAttributes(), .dim] {
          let look = theme.resolve(Style(role, attributes), mode: .sixteen)
          func color(_ number: Int32, or own: UInt32) -> UInt32 {
            number < 0 ? own : palette.colors[Int(number)]
          }
          let (text, ground) = (
            color(look.foreground, or: palette.foreground),
            color(look.background, or: palette.background)
          )
          #expect(
            contrast(text, ground) >= (shapes.contains(role) ? 2 : 4.5), "\(role) in \(name)")
        }
      }
    }
  }

  @Test(arguments: [ThemeSetting.dark, .light])
  func `with sixteen colours, and with eight, the map's lines are told apart by day and by night`(
    name: ThemeSetting
  ) {
    let theme = name.choice.theme(isBackgroundLight: nil)
    for isEight in [false, true] {
      func color(_ role: Role) -> Int32 {
        let look = theme.resolve(Style(role), mode: .sixteen)
        return isEight ? look.inEightColors.foreground : look.foreground
      }
      // Night takes the coast's colour, and lights the cities.
      #expect(
        Set([Role.mapCoast, .mapCoastNight, .mapBorder, .mapCityLight].map(color)).count >= 3)
      #expect(color(.mapCoast) != color(.mapCoastNight))
      #expect(color(.mapCityLight) != color(.mapCoastNight))
      #expect(color(.mapCityLight) != color(.mapCoast))
      // Near by, water is no road, and no park.
      for role in [Role.mapStreet, .mapPrimaryRoad, .mapMotorway, .mapGreen] {
        #expect(color(role) != color(.mapLake), "\(role)")
      }
    }
    #expect(theme.hasLights(in: .sixteen) && !theme.hasLights(in: .mono))
  }

  @Test(arguments: ThemeSetting.allCases, ColorMode.allCases)
  func `a selection looks like none of the other roles`(name: ThemeSetting, mode: ColorMode) {
    let theme = name.choice.theme(isBackgroundLight: nil)
    let selection = theme.resolve(.selection, mode: mode)
    // No list has codes.
    for role in Role.allCases where role != .selection && role != .qrCode {
      #expect(theme.resolve(Style(role), mode: mode) != selection)
    }
    #expect(selection.background >= 0 || selection.attributes.contains(.reverse))
  }

  @Test func `fixed colours are xterm's`() {
    #expect(XtermPalette.rgb(16) == 0x000000)
    #expect(XtermPalette.rgb(231) == 0xFFFFFF)
    #expect(XtermPalette.rgb(208) == 0xFF8700)
    #expect(XtermPalette.rgb(244) == 0x808080)
  }

  @Test func `a terminal is given no more colours than it has`() {
    #expect(ColorMode.direct.limited(to: 0) == .mono)
    #expect(ColorMode.direct.limited(to: 8) == .sixteen)
    #expect(ColorMode.direct.limited(to: 256) == .indexed)
    #expect(ColorMode.direct.limited(to: 1 << 24) == .direct)
    #expect(ColorMode.mono.limited(to: 256) == .mono)
    #expect(ColorMode.sixteen.limited(to: 256) == .sixteen)
  }

  @Test func `no colour is wanted where the environment says so, unless it is asked for`() {
    #expect(ColorMode(choice: "auto", environment: [:]) == .direct)
    #expect(ColorMode(choice: "auto", environment: ["NO_COLOR": "1"]) == .mono)
    #expect(ColorMode(choice: "auto", environment: ["NO_COLOR": ""]) == .direct)
    #expect(ColorMode(choice: "always", environment: ["NO_COLOR": "1"]) == .direct)
    #expect(ColorMode(choice: "never", environment: [:]) == .mono)
  }

  @Test
  func `auto takes the theme that fits the background, and the dark one where nobody knows`() {
    #expect(ThemeSetting.auto.choice.theme(isBackgroundLight: true).looks == Theme.light.looks)
    #expect(ThemeSetting.auto.choice.theme(isBackgroundLight: false).looks == Theme.dark.looks)
    #expect(ThemeSetting.auto.choice.theme(isBackgroundLight: nil).looks == Theme.dark.looks)
  }

  @Test func `a resolved theme says the same as the theme itself, twice`() {
    var resolved = ResolvedTheme(.dark, mode: .indexed)
    for _ in 0..<2 {
      for role in Role.allCases {
        for bits in [UInt8(0), 1, 2, 18] {
          let style = Style(role, TextAttributes(rawValue: bits))
          for backdrop in Backdrop.all {
            var style = style
            style.backdrop = backdrop
            #expect(resolved.appearance(of: style) == Theme.dark.resolve(style, mode: .indexed))
          }
        }
      }
    }
  }
}

/// The sixteen colours of a scheme, with its text and its background.
struct TerminalPalette: Sendable, CustomTestStringConvertible {
  var name: String
  var foreground: UInt32
  var background: UInt32
  var colors: [UInt32]

  var testDescription: String { name }

  /// What a number of 256 is drawn as.
  func rgb(_ number: UInt8) -> UInt32 {
    number < 16 ? colors[Int(number)] : XtermPalette.rgb(number)
  }

  static let all: [TerminalPalette] = {
    let xterm: [UInt32] = [
      0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
      0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    ]
    let solarized: [UInt32] = [
      0x073642, 0xDC322F, 0x859900, 0xB58900, 0x268BD2, 0xD33682, 0x2AA198, 0xEEE8D5,
      0x002B36, 0xCB4B16, 0x586E75, 0x657B83, 0x839496, 0x6C71C4, 0x93A1A1, 0xFDF6E3,
    ]
    return [
      .init(name: "xterm on white", foreground: 0x000000, background: 0xFFFFFF, colors: xterm),
      .init(name: "xterm on black", foreground: 0xE5E5E5, background: 0x000000, colors: xterm),
      .init(
        name: "Nord", foreground: 0xD8DEE9, background: 0x2E3440,
        colors: [
          0x3B4252, 0xBF616A, 0xA3BE8C, 0xEBCB8B, 0x81A1C1, 0xB48EAD, 0x88C0D0, 0xE5E9F0,
          0x4C566A, 0xBF616A, 0xA3BE8C, 0xEBCB8B, 0x81A1C1, 0xB48EAD, 0x8FBCBB, 0xECEFF4,
        ]),
      .init(
        name: "Dracula", foreground: 0xF8F8F2, background: 0x282A36,
        colors: [
          0x21222C, 0xFF5555, 0x50FA7B, 0xF1FA8C, 0xBD93F9, 0xFF79C6, 0x8BE9FD, 0xF8F8F2,
          0x6272A4, 0xFF6E6E, 0x69FF94, 0xFFFFA5, 0xD6ACFF, 0xFF92DF, 0xA4FFFF, 0xFFFFFF,
        ]),
      .init(
        name: "Gruvbox", foreground: 0xEBDBB2, background: 0x282828,
        colors: [
          0x282828, 0xCC241D, 0x98971A, 0xD79921, 0x458588, 0xB16286, 0x689D6A, 0xA89984,
          0x928374, 0xFB4934, 0xB8BB26, 0xFABD2F, 0x83A598, 0xD3869B, 0x8EC07C, 0xEBDBB2,
        ]),
      .init(
        name: "Gruvbox light", foreground: 0x3C3836, background: 0xFBF1C7,
        colors: [
          0xFBF1C7, 0xCC241D, 0x98971A, 0xD79921, 0x458588, 0xB16286, 0x689D6A, 0x7C6F64,
          0x928374, 0x9D0006, 0x79740E, 0xB57614, 0x076678, 0x8F3F71, 0x427B58, 0x3C3836,
        ]),
      .init(
        name: "Solarized dark", foreground: 0x839496, background: 0x002B36, colors: solarized),
      .init(
        name: "Solarized light", foreground: 0x657B83, background: 0xFDF6E3, colors: solarized),
    ]
  }()
}
