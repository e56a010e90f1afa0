extension Theme {
  /// The owner's own text on the owner's background, so it is readable wherever the shell is. State
  /// is said by a glyph, a word and the weight of the text. No other of the sixteen colours can be
  /// read in the usual schemes on black and on white: texts take none. Lines have at least 3:1 on
  /// the backgrounds of all of them, where there are 256 colours, and with sixteen.
  public static let terminal = Theme(
    looks: [
      .normal: Look(),
      .dim: Look(),
      .accent: Look(.terminal, .bold),
      .success: Look(),
      .warning: Look(.terminal, .bold),
      .danger: Look(.terminal, [.bold, .underline]),
      .selection: Look(.terminal, .reverse),
      .rule: Look(.xterm(244, own: nil)),
      .title: Look(.terminal, .bold),
      .qrCode: .qrCode,
      .mapCoast: Look(.xterm(67, own: nil)),
      .mapLake: Look(.xterm(32, own: nil)),
      .mapBorder: Look(.xterm(101, own: 5)),
      .mapState: Look(.xterm(244, own: nil)),
      .mapCountry: Look(),
      .mapCity: Look(),
      .mapGreen: Look(.xterm(65, own: nil)),
      .mapBuilding: Look(.xterm(244, own: nil)),
      .mapPath: Look(.xterm(244, own: nil)),
      .mapRail: Look(.xterm(134, own: 5)),
      .mapStreet: Look(.xterm(244, own: nil)),
      .mapSecondaryRoad: Look(.xterm(101, own: nil)),
      .mapPrimaryRoad: Look(.xterm(166, own: nil), onFew: .bold),
      .mapMotorway: Look(.xterm(167, own: 9), onFew: .bold),
      .mapStreetName: Look(),
      .mapWaterName: Look(),
      .mapCityLight: Look(.xterm(166, own: nil), onFew: .bold),
      .mapCoastNight: Look(.xterm(244, own: nil)),
      .mapGrid: Look(),
      .mapLive: Look(.terminal, .bold),
      .mapLiveName: Look(.terminal, .bold),
      .mapYou: Look(.terminal, .bold),
      .mapMission: Look(.terminal, .bold),
    ], dimsByColor: true)

  /// A deep blue sea and slate land, which night darkens and never blackens. Texts have at least
  /// 4.5:1 on every background from black to #303030 and on the areas; coasts, borders and roads 3:1
  /// on theirs.
  public static let dark = Theme(
    looks: [
      .normal: Look(.rgb(0xDCE3EA, xterm: 254, own: nil)),
      .dim: Look(.rgb(0xA3ADB8, xterm: 248, own: nil)),
      .accent: Look(.rgb(0xA6DBFF, xterm: 117, own: 14)),
      .success: Look(.rgb(0xA8FBB2, xterm: 157, own: 10)),
      .warning: Look(.rgb(0xFFC978, xterm: 222, own: 11)),
      .danger: Look(.rgb(0xFF9A8F, xterm: 210, own: 9), .bold),
      .selection: Look(.rgb(0x07141F, xterm: 16, own: 0), on: .rgb(0xBFE6FF, xterm: 153, own: 14)),
      .rule: Look(.rgb(0x5C6874, xterm: 241, own: nil)),
      .title: Look(.rgb(0xFFFFFF, xterm: 231, own: 15), .bold),
      .qrCode: .qrCode,
      .mapCoast: Look(.rgb(0x9CD0E8, xterm: 153, own: 14)),
      .mapCoastNight: Look(.rgb(0x8FB0DC, xterm: 111, own: nil)),
      .mapLake: Look(.rgb(0x8CC8EC, xterm: 117, own: 14)),
      .mapBorder: Look(.rgb(0xE4C698, xterm: 187, own: 3)),
      .mapState: Look(.rgb(0xBAB6AC, xterm: 252, own: nil)),
      .mapCountry: Look(.rgb(0xDCE3EA, xterm: 255, own: nil)),
      .mapCity: Look(.rgb(0xF6F9FC, xterm: 255, own: nil)),
      .mapGrid: Look(.rgb(0xACB6C0, xterm: 252, own: nil)),
      .mapGreen: Look(.rgb(0x8CCB8A, xterm: 114, own: 2)),
      .mapBuilding: Look(.rgb(0xA89F94, xterm: 247, own: nil)),
      .mapPath: Look(.rgb(0xACB4B0, xterm: 252, own: nil)),
      .mapRail: Look(.rgb(0xCFAEDE, xterm: 225, own: 13)),
      .mapStreet: Look(.rgb(0xBCC2C8, xterm: 251, own: nil)),
      .mapSecondaryRoad: Look(.rgb(0xE6DDB0, xterm: 187, own: 3)),
      .mapPrimaryRoad: Look(.rgb(0xFFD98A, xterm: 222, own: 11)),
      .mapMotorway: Look(.rgb(0xFFB066, xterm: 215, own: 9), onFew: .bold),
      .mapStreetName: Look(.rgb(0xF6F9FC, xterm: 255, own: nil)),
      .mapWaterName: Look(.rgb(0xBFE3FA, xterm: 195, own: 14)),
      .mapCityLight: Look(.rgb(0xFFC978, xterm: 222, own: 11), onFew: .bold),
      .mapLive: Look(.rgb(0xA8FBB2, xterm: 157, own: 10), onFew: .bold),
      .mapLiveName: Look(.rgb(0xA8FBB2, xterm: 157, own: 10), onFew: .bold),
      .mapOlder: Look(.rgb(0xD3DAE0, xterm: 255, own: nil)),
      .mapYou: Look(.rgb(0xA6DBFF, xterm: 123, own: 14), onFew: .bold),
      .mapMission: Look(.rgb(0xFFDD66, xterm: 228, own: 11), onFew: .bold),
      .mapPin: Look(.rgb(0x10161C, xterm: 16, own: 0), on: .rgb(0xD3DAE0, xterm: 252, own: 7)),
      .mapPinFresh: Look(
        .rgb(0x08210F, xterm: 16, own: 0), on: .rgb(0xA8FBB2, xterm: 157, own: 10)),
      .mapPinSelected: Look(
        .rgb(0x07141F, xterm: 16, own: 0), on: .rgb(0xFFFFFF, xterm: 231, own: 15), .bold),
    ], dimsByColor: true,
    areas: AreaColors(
      [
        .fillSea: .init(
          [0x0B3150, 0x3D2F57, 0x222C55, 0x142341, 0x0A1830],
          xterm: [24, 53, 17, 17, 17]),
        .fillLand: .init(
          [0x3A4944, 0x704538, 0x544151, 0x3E3B50, 0x2F3246],
          xterm: [238, 95, 239, 238, 236]),
        .fillWater: .init(
          [0x10466C, 0x47396A, 0x283A6C, 0x182D55, 0x0F2548],
          xterm: [24, 53, 17, 17, 17]),
        .fillTown: .init(
          [0x1E252C, 0x33282A, 0x262633, 0x1F2432, 0x1A1F2B],
          xterm: [235, 236, 236, 235, 234]),
        .fillPark: .init(
          [0x1C3A29, 0x363623, 0x27332F, 0x1E302E, 0x182A27],
          xterm: [22, 58, 237, 236, 235]),
        .fillBuilding: .init(
          [0x2F373F, 0x443736, 0x363644, 0x2F3344, 0x293040],
          xterm: [238, 239, 238, 237, 236]),
      ],
      tints: [
        .init(0xA8FBB2, xterm: 22, onWater: 23), .init(0xD3DAE0, xterm: 240, onWater: 60),
        .init(0xA6DBFF, xterm: 60, onWater: 26), .init(0xFFDD66, xterm: 59, onWater: 25),
      ], share: 0.06))

  /// A paper atlas: a sky-blue sea and cream land. Texts have at least 4.5:1 on every background
  /// from white to #EEE8D5 and on the areas; coasts, borders and roads 3:1 on theirs.
  public static let light = Theme(
    looks: [
      .normal: Look(.rgb(0x1B2430, xterm: 234, own: nil)),
      .dim: Look(.rgb(0x525C66, xterm: 240, own: nil)),
      .accent: Look(.rgb(0x00507F, xterm: 24, own: 4)),
      .success: Look(.rgb(0x00561F, xterm: 22, own: nil)),
      .warning: Look(.rgb(0x6B4A00, xterm: 58, own: 5)),
      .danger: Look(.rgb(0xA3150F, xterm: 124, own: 1), .bold),
      .selection: Look(.rgb(0xFFFFFF, xterm: 231, own: 15), on: .rgb(0x00507F, xterm: 24, own: 4)),
      .rule: Look(.rgb(0x8A949E, xterm: 245, own: nil)),
      .title: Look(.rgb(0x0B1220, xterm: 16, own: 0), .bold),
      .qrCode: .qrCode,
      .mapCoast: Look(.rgb(0x1A536F, xterm: 24, own: 4)),
      .mapCoastNight: Look(.rgb(0x20406F, xterm: 17, own: nil)),
      .mapLake: Look(.rgb(0x1A5580, xterm: 24, own: 4)),
      .mapBorder: Look(.rgb(0x5F4018, xterm: 58, own: 5)),
      .mapState: Look(.rgb(0x544E43, xterm: 239, own: nil)),
      .mapCountry: Look(.rgb(0x333E4B, xterm: 237, own: nil)),
      .mapCity: Look(.rgb(0x1B2430, xterm: 234, own: nil)),
      .mapGrid: Look(.rgb(0x4A545D, xterm: 239, own: nil)),
      .mapGreen: Look(.rgb(0x2F6B34, xterm: 22, own: 2)),
      .mapBuilding: Look(.rgb(0x6A5F50, xterm: 240, own: nil)),
      .mapPath: Look(.rgb(0x4A504C, xterm: 239, own: nil)),
      .mapRail: Look(.rgb(0x633A78, xterm: 54, own: 5)),
      .mapStreet: Look(.rgb(0x454B51, xterm: 239, own: nil)),
      .mapSecondaryRoad: Look(.rgb(0x5C5620, xterm: 58, own: 1)),
      .mapPrimaryRoad: Look(.rgb(0x7E5200, xterm: 94, own: 1)),
      .mapMotorway: Look(.rgb(0xA83A0E, xterm: 124, own: 1), onFew: .bold),
      .mapStreetName: Look(.rgb(0x1B2430, xterm: 234, own: nil)),
      .mapWaterName: Look(.rgb(0x0F3A5C, xterm: 17, own: 4)),
      .mapCityLight: Look(.rgb(0x8A4600, xterm: 88, own: 1), onFew: .bold),
      .mapLive: Look(.rgb(0x00431E, xterm: 22, own: 2), onFew: .bold),
      .mapLiveName: Look(.rgb(0x00431E, xterm: 234, own: nil), onFew: .bold),
      .mapOlder: Look(.rgb(0x38414A, xterm: 237, own: nil)),
      .mapYou: Look(.rgb(0x003C78, xterm: 17, own: 4), onFew: .bold),
      .mapMission: Look(.rgb(0x6E1F00, xterm: 52, own: 5), onFew: .bold),
      .mapPin: Look(.rgb(0xFFFFFF, xterm: 231, own: 15), on: .rgb(0x4A545E, xterm: 239, own: 8)),
      .mapPinFresh: Look(
        .rgb(0xFFFFFF, xterm: 231, own: 15), on: .rgb(0x00561F, xterm: 22, own: 2)),
      .mapPinSelected: Look(
        .rgb(0xFFFFFF, xterm: 231, own: 15), on: .rgb(0x0B1220, xterm: 16, own: 0), .bold),
    ], dimsByColor: true,
    areas: AreaColors(
      [
        .fillSea: .init(
          [0xAAD1E6, 0xCDB9D2, 0xB6B7DB, 0xABB6DA, 0xA3B1D8],
          xterm: [153, 182, 146, 110, 110]),
        .fillLand: .init(
          [0xF5F0E1, 0xFCDCB6, 0xECD0D2, 0xD9D0E3, 0xD1D2E8],
          xterm: [231, 223, 224, 188, 188]),
        .fillWater: .init(
          [0x96C5E3, 0xC2B3D6, 0xB0B3DC, 0xA4B0D8, 0x9CACD8],
          xterm: [117, 176, 146, 74, 74]),
        .fillTown: .init(
          [0xF5F1E7, 0xFCE4C8, 0xF0DCDB, 0xE0D9E6, 0xD6D7E8],
          xterm: [255, 230, 255, 254, 253]),
        .fillPark: .init(
          [0xCDE5B9, 0xE6D9A6, 0xD0CEC0, 0xC3CCD0, 0xB9CCD4],
          xterm: [194, 187, 187, 151, 151]),
        .fillBuilding: .init(
          [0xE5DCCD, 0xF0D2B6, 0xE0C9CD, 0xD0C9DB, 0xC6C8DE],
          xterm: [252, 223, 252, 251, 250]),
      ],
      tints: [
        .init(0x9FE3A8, xterm: 151, onWater: 115), .init(0xDEDDD8, xterm: 251, onWater: 152),
        .init(0x9CCBF5, xterm: 147, onWater: 111), .init(0xF5D78A, xterm: 223, onWater: 187),
      ], share: 0.45))

  /// At least 7:1 everywhere, on a black that it paints itself.
  public static let highContrast: Theme = {
    func look(
      _ rgb: UInt32, xterm: UInt8, _ own: UInt8, _ attributes: TextAttributes = []
    ) -> Look {
      Look(.rgb(rgb, xterm: xterm, own: own), on: black, attributes)
    }
    let black = Color.rgb(0x000000, xterm: 16, own: 0)
    return Theme(
      looks: [
        .normal: look(0xFFFFFF, xterm: 231, 15),
        .dim: look(0xD0D0D0, xterm: 252, 7),
        .accent: look(0x00FFFF, xterm: 51, 14, .bold),
        .success: look(0x87FF87, xterm: 120, 10, .bold),
        .warning: look(0xFFFF00, xterm: 226, 11, .bold),
        .danger: look(0xFFAFAF, xterm: 217, 9, [.bold, .underline]),
        .selection: Look(black, on: .rgb(0xFFFF00, xterm: 226, own: 11), .bold),
        .rule: look(0xFFFFFF, xterm: 231, 15),
        .title: look(0xFFFFFF, xterm: 231, 15, .bold),
        .qrCode: .qrCode,
        .mapCoast: look(0xFFFFFF, xterm: 231, 15),
        .mapLake: look(0x87D7FF, xterm: 117, 14),
        .mapBorder: look(0xFFD787, xterm: 222, 11),
        .mapState: look(0xD0D0D0, xterm: 252, 7),
        .mapCountry: look(0xFFFFFF, xterm: 231, 15),
        .mapCity: look(0xFFFFFF, xterm: 231, 15),
        .mapGreen: look(0xAFFF87, xterm: 156, 10),
        .mapBuilding: look(0xD0D0D0, xterm: 252, 7),
        .mapPath: look(0xD0D0D0, xterm: 252, 7),
        .mapRail: look(0xFFAFFF, xterm: 219, 13),
        .mapStreet: look(0xFFFFFF, xterm: 231, 15),
        .mapSecondaryRoad: look(0xFFFFAF, xterm: 229, 15),
        .mapPrimaryRoad: look(0xFFFF00, xterm: 226, 11),
        .mapMotorway: look(0xFFAF87, xterm: 216, 9, .bold),
        .mapStreetName: look(0xFFFFFF, xterm: 231, 15),
        .mapWaterName: look(0x87D7FF, xterm: 117, 14),
        .mapCityLight: look(0xFFFF00, xterm: 226, 11),
        .mapCoastNight: look(0xFFFFFF, xterm: 231, 15),
        .mapGrid: look(0xD0D0D0, xterm: 252, 7),
        .mapLive: look(0x87FF87, xterm: 120, 10),
        .mapLiveName: look(0x87FF87, xterm: 120, 10),
        .mapOlder: look(0xD0D0D0, xterm: 252, 7),
        .mapYou: look(0x00FFFF, xterm: 51, 14),
        .mapMission: look(0xFFAF5F, xterm: 215, 11),
        .mapPin: Look(black, on: .rgb(0xD0D0D0, xterm: 252, own: 7), .bold),
        .mapPinFresh: Look(black, on: .rgb(0x87FF87, xterm: 120, own: 10), .bold),
        .mapPinSelected: Look(black, on: .rgb(0xFFFFFF, xterm: 231, own: 15), .bold),
      ], dimsByColor: true)
  }()
}

extension Theme.Look {
  /// Dark on light whatever the theme: many readers find no other codes.
  fileprivate static let qrCode = Theme.Look(
    .rgb(0x000000, xterm: 16, own: 0), on: .rgb(0xFFFFFF, xterm: 231, own: 15))

  fileprivate init(_ foreground: Color, _ attributes: TextAttributes) {
    self.init(foreground, on: .terminal, attributes)
  }
}
