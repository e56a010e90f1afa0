/// How the theme is chosen.
public enum ThemeChoice: Hashable, Sendable {
  case fixed(Theme)
  /// Chosen by the terminal's background colour, which is queried.
  case byBackground(light: Theme, dark: Theme)

  /// Whether the terminal's background colour must be queried.
  public var asksForBackground: Bool {
    if case .byBackground = self { true } else { false }
  }

  /// - Parameter isLight: nil if nobody knows it; most backgrounds are dark.
  public func theme(isBackgroundLight isLight: Bool?) -> Theme {
    switch self {
    case .fixed(let theme): theme
    case .byBackground(let light, let dark): isLight == true ? light : dark
    }
  }
}
