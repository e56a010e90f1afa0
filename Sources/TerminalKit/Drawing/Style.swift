/// The semantic role of text; the theme defines its appearance.
public enum Role: UInt8, Sendable, CaseIterable {
  case normal, dim, accent, success, warning, danger, selection, rule, title, qrCode
  case mapCoast, mapCoastNight, mapLake, mapBorder, mapState, mapCountry, mapCity
  case mapGrid, mapGreen, mapBuilding, mapPath, mapRail, mapStreet, mapSecondaryRoad
  case mapPrimaryRoad, mapMotorway, mapStreetName, mapWaterName, mapCityLight
  case mapLive, mapLiveName, mapOlder, mapYou, mapMission
  case mapPin, mapPinFresh, mapPinSelected
  // The last ones, in the order of `fills`.
  case fillSea, fillLand, fillWater, fillTown, fillPark, fillBuilding

  /// The roles of areas: their foreground and background are the same colour, and both are the
  /// terminal's own where the theme paints no areas. Text stands on them, never in them.
  public static let fills: [Role] = [
    .fillSea, .fillLand, .fillWater, .fillTown, .fillPark, .fillBuilding,
  ]

  public var isFill: Bool { rawValue >= Role.fillSea.rawValue }
}

/// Text attributes that need no colour.
public struct TextAttributes: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let bold = TextAttributes(rawValue: 1)
  public static let dim = TextAttributes(rawValue: 2)
  public static let italic = TextAttributes(rawValue: 4)
  public static let underline = TextAttributes(rawValue: 8)
  public static let reverse = TextAttributes(rawValue: 16)
}

/// Role and attributes of text, and what it stands on: `.accent`, `.dim`, `.danger.bold`.
public struct Style: Hashable, Sendable {
  public var role: Role
  public var attributes: TextAttributes
  /// What lies under the text; `.none` for the background of `role`.
  public var backdrop: Backdrop

  public init(
    _ role: Role = .normal, _ attributes: TextAttributes = [], on backdrop: Backdrop = .none
  ) {
    self.role = role
    self.attributes = attributes
    self.backdrop = backdrop
  }

  public static let normal = Style(.normal)
  public static let dim = Style(.dim)
  public static let accent = Style(.accent)
  public static let success = Style(.success)
  public static let warning = Style(.warning)
  public static let danger = Style(.danger)
  public static let selection = Style(.selection)
  public static let rule = Style(.rule)
  public static let title = Style(.title)

  public var bold: Style { with(.bold) }
  public var dim: Style { with(.dim) }
  public var italic: Style { with(.italic) }
  public var underline: Style { with(.underline) }
  public var reverse: Style { with(.reverse) }

  private func with(_ more: TextAttributes) -> Style {
    Style(role, attributes.union(more), on: backdrop)
  }

  /// This style combined with the inherited style `ambient`.
  ///
  /// A selected row overrides the roles inside of it, because a coloured word on a reversed row
  /// would show as a coloured block. Attributes are kept, except dim.
  public func over(_ ambient: Style) -> Style {
    if ambient.role == .selection {
      return Style(.selection, attributes.union(ambient.attributes).subtracting(.dim))
    }
    return Style(
      role == .normal ? ambient.role : role, attributes.union(ambient.attributes),
      on: backdrop == .none ? ambient.backdrop : backdrop)
  }
}

/// A style resolved for a terminal: colour numbers (-1 is the terminal's default) and attributes.
public struct Appearance: Hashable, Sendable {
  public var foreground: Int32
  public var background: Int32
  public var attributes: TextAttributes

  public init(foreground: Int32 = -1, background: Int32 = -1, attributes: TextAttributes = []) {
    self.foreground = foreground
    self.background = background
    self.attributes = attributes
  }

  /// On a terminal of eight colours the bright eight are the dark ones: bold in front, as they are
  /// behind.
  package var inEightColors: Appearance {
    var few = self
    if (8..<16).contains(foreground) {
      few.foreground -= 8
      few.attributes.insert(.bold)
    }
    if (8..<16).contains(background) { few.background -= 8 }
    return few
  }
}

extension Appearance {
  /// The SGR sequence (ECMA-48) that resets the terminal and then sets this appearance.
  package var sequence: String { sequence(in: .indexed) }

  /// - Parameter mode: In `.direct`, colour numbers from 8 on are 24-bit RGB values.
  package func sequence(in mode: ColorMode) -> String {
    var codes = ["0"]
    for (attribute, code) in Self.codes where attributes.contains(attribute) { codes.append(code) }
    codes += Self.code(of: foreground, base: 30, mode) + Self.code(of: background, base: 40, mode)
    return "\u{1B}[\(codes == ["0"] ? "" : codes.joined(separator: ";"))m"
  }

  private static let codes: [(TextAttributes, String)] = [
    (.bold, "1"), (.dim, "2"), (.italic, "3"), (.underline, "4"), (.reverse, "7"),
  ]

  private static func code(of color: Int32, base: Int, _ mode: ColorMode) -> [String] {
    switch color {
    case 8... where mode == .direct:
      ["\(base + 8)", "2", "\(color >> 16 & 255)", "\(color >> 8 & 255)", "\(color & 255)"]
    case ..<0: []
    case ..<8: ["\(base + Int(color))"]
    default: ["\(base + 8)", "5", "\(color)"]
    }
  }
}
