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

  public init(looks: [Role: Look] = [:], dimsByColor: Bool = false) {
    self.looks = looks
    self.dimsByColor = dimsByColor
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
      case .selection: attributes.insert(.reverse)
      case .dim, .rule: attributes.insert(.dim)
      default: break
      }
    }
    let appearance = Appearance(
      foreground: look.foreground.number(in: mode), background: look.background.number(in: mode),
      attributes: attributes)
    // Show the selection in reverse video if its colours are not available.
    guard style.role == .selection, appearance.background < 0, appearance.foreground < 0 else {
      return appearance
    }
    return Appearance(attributes: attributes.union(.reverse))
  }
}

/// A theme in one colour mode, with a cache of resolved styles.
package struct ResolvedTheme {
  private let theme: Theme
  private let mode: ColorMode
  private var known: [Appearance?]

  package init(_ theme: Theme, mode: ColorMode) {
    self.theme = theme
    self.mode = mode
    known = Array(repeating: nil, count: Role.allCases.count << 5)
  }

  package mutating func appearance(of style: Style) -> Appearance {
    let index = Int(style.role.rawValue) << 5 | Int(style.attributes.rawValue & 31)
    if let appearance = known[index] { return appearance }
    let appearance = theme.resolve(style, mode: mode)
    known[index] = appearance
    return appearance
  }
}
