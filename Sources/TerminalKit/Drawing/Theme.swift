/// Maps roles to colours and attributes.
public struct Theme: Hashable, Sendable {
  /// The appearance of one role.
  public struct Look: Hashable, Sendable {
    public var foreground: Color
    public var background: Color
    public var attributes: TextAttributes
    /// Attributes added when there are at most 16 colours.
    public var weight: TextAttributes

    public init(
      _ foreground: Color = .terminal, on background: Color = .terminal,
      _ attributes: TextAttributes = [], onFew weight: TextAttributes = []
    ) {
      self.foreground = foreground
      self.background = background
      self.attributes = attributes
      self.weight = weight
    }
  }

  /// Roles without an entry use the terminal's defaults.
  public let looks: [Role: Look]
  /// Whether dim text uses the colour of the `dim` role, because the contrast of the terminal's dim
  /// attribute is unknown.
  public let dimsByColor: Bool
  /// The colours of areas; nil where none is painted.
  public let areas: AreaColors?

  public init(looks: [Role: Look] = [:], dimsByColor: Bool = false, areas: AreaColors? = nil) {
    self.looks = looks
    self.dimsByColor = dimsByColor
    self.areas = areas
  }

  /// Resolves a style for a colour mode; in `.mono` colours are dropped and attributes kept.
  public func resolve(_ style: Style, mode: ColorMode) -> Appearance {
    var style = style
    if dimsByColor, mode != .mono, style.attributes.contains(.dim) {
      if style.role == .normal { style.role = .dim }
      style.attributes.remove(.dim)
    }
    let look = looks[style.role] ?? Look()
    var attributes = look.attributes.union(style.attributes)
    if mode == .mono || mode == .sixteen { attributes.formUnion(look.weight) }
    if mode == .mono {
      switch style.role {
      case .accent: attributes.insert(.bold)
      case .selection, .qrCode: attributes.insert(.reverse)
      case .dim, .rule: attributes.insert(.dim)
      default: break
      }
    }
    var appearance = Appearance(
      foreground: look.foreground.number(in: mode), background: look.background.number(in: mode),
      attributes: attributes)
    if let backdrop = color(of: style.backdrop, mode: mode) { appearance.background = backdrop }
    // The upper half of a cell is drawn in the colour of its area.
    if style.role.isFill {
      let isAlone = style.backdrop == .none
      let area = isAlone ? Backdrop(style.role) : style.backdrop.over(style.role)
      if let upper = color(of: area, mode: mode) {
        appearance.foreground = upper
        if isAlone { appearance.background = upper }
      }
    }
    // Show the selection in reverse video if its colours are not available.
    guard style.role == .selection, appearance.background < 0, appearance.foreground < 0 else {
      return appearance
    }
    return Appearance(attributes: attributes.union(.reverse))
  }

  /// The colour of an area; nil where it has none in a mode.
  fileprivate func color(of backdrop: Backdrop, mode: ColorMode) -> Int32? {
    areas?.number(of: backdrop, in: mode)
  }

  /// Whether areas have colours of their own in a mode, so that they need no patterns.
  package func paintsAreas(in mode: ColorMode) -> Bool {
    Role.fills.contains { color(of: Backdrop($0), mode: mode) != nil }
  }

  /// Whether the lights of cities have a colour in a mode that text has not.
  package func hasLights(in mode: ColorMode) -> Bool {
    resolve(Style(.mapCityLight), mode: mode).foreground != resolve(.normal, mode: mode).foreground
  }
}

/// A theme in one colour mode, with a cache of resolved styles.
package struct ResolvedTheme {
  private let theme: Theme
  private let mode: ColorMode
  private var known: [Appearance?]
  /// By `Backdrop.rawValue`; nil where not asked for yet.
  private var areas: [Int32??]
  /// Whether areas have colours of their own, so that they need no patterns.
  package let paintsAreas: Bool
  /// Whether the lights of cities have a colour of their own.
  package let hasLights: Bool

  package init(_ theme: Theme, mode: ColorMode) {
    self.theme = theme
    self.mode = mode
    known = Array(repeating: nil, count: Role.allCases.count << 5)
    areas = Array(repeating: nil, count: 256)
    paintsAreas = theme.paintsAreas(in: mode)
    hasLights = theme.hasLights(in: mode)
  }

  package mutating func appearance(of style: Style) -> Appearance {
    var appearance = plainAppearance(of: style)
    guard style.backdrop != .none else { return appearance }
    if let background = area(style.backdrop) { appearance.background = background }
    if style.role.isFill, let upper = area(style.backdrop.over(style.role)) {
      appearance.foreground = upper
    }
    return appearance
  }

  private mutating func area(_ backdrop: Backdrop) -> Int32? {
    if let color = areas[Int(backdrop.rawValue)] { return color }
    let color = theme.color(of: backdrop, mode: mode)
    areas[Int(backdrop.rawValue)] = .some(color)
    return color
  }

  private mutating func plainAppearance(of style: Style) -> Appearance {
    let index = Int(style.role.rawValue) << 5 | Int(style.attributes.rawValue & 31)
    if let appearance = known[index] { return appearance }
    let appearance = theme.resolve(Style(style.role, style.attributes), mode: mode)
    known[index] = appearance
    return appearance
  }
}

/// How the theme is chosen.
public enum ThemeChoice: Hashable, Sendable {
  case fixed(Theme)
  /// Chosen by the terminal's background colour, which is queried.
  case byBackground(light: Theme, dark: Theme)

  /// Whether the terminal's background colour must be queried.
  public var asksForBackground: Bool {
    if case .byBackground = self { true } else { false }
  }

  /// - Parameter isLight: nil if it is unknown; most backgrounds are dark.
  public func theme(isBackgroundLight isLight: Bool?) -> Theme {
    switch self {
    case .fixed(let theme): theme
    case .byBackground(let light, let dark): isLight == true ? light : dark
    }
  }
}
