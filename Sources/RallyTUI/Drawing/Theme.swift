/// The one place where a role becomes a colour.
public struct Theme: Sendable {
  /// How one role looks.
  public struct Look: Hashable, Sendable {
    public var foreground: Color
    public var background: Color
    public var attributes: TextAttributes
    /// What is added where there are no more than sixteen colours.
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

  public let looks: [Role: Look]
  /// Whether dim text is a colour of its own: the terminal's way of dimming has no known contrast.
  public let dimsByColor: Bool

  public init(looks: [Role: Look], dimsByColor: Bool = false) {
    self.looks = looks
    self.dimsByColor = dimsByColor
  }

  /// What to put on the terminal for a style; in mono the colours are gone and the weights stay.
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
      case .selection: attributes.insert(.reverse)
      case .dim, .rule: attributes.insert(.dim)
      default: break
      }
    }
    let appearance = Appearance(
      foreground: look.foreground.number(in: mode), background: look.background.number(in: mode),
      attributes: attributes)
    // A selection whose colours the terminal lacks is still a selection.
    guard style.role == .selection, appearance.background < 0, appearance.foreground < 0 else {
      return appearance
    }
    return Appearance(attributes: attributes.union(.reverse))
  }
}

/// A theme on a terminal with as many colours as it has; every style is worked out once.
struct ResolvedTheme {
  private let theme: Theme
  private let mode: ColorMode
  private var known: [Appearance?]

  init(_ theme: Theme, mode: ColorMode) {
    self.theme = theme
    self.mode = mode
    known = Array(repeating: nil, count: Role.allCases.count << 5)
  }

  mutating func appearance(of style: Style) -> Appearance {
    let index = Int(style.role.rawValue) << 5 | Int(style.attributes.rawValue & 31)
    if let appearance = known[index] { return appearance }
    let appearance = theme.resolve(style, mode: mode)
    known[index] = appearance
    return appearance
  }
}
