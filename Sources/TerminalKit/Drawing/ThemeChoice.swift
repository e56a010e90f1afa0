/// How the theme is chosen.
public enum ThemeChoice: Hashable, Sendable {
  case fixed(Theme)
  /// Chosen by the terminal's background colour, which is queried.
  case byBackground(light: Theme, dark: Theme, unknown: Theme)

  /// Whether the terminal's background colour must be queried.
  public var asksForBackground: Bool {
    if case .byBackground = self { true } else { false }
  }

  /// - Parameter isLight: nil if the terminal did not report its background.
  public func theme(isBackgroundLight isLight: Bool?) -> Theme {
    switch self {
    case .fixed(let theme): theme
    case .byBackground(let light, let dark, let unknown):
      switch isLight {
      case true?: light
      case false?: dark
      case nil: unknown
      }
    }
  }
}
