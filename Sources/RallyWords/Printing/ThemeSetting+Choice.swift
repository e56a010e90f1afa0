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
    case .auto: .byBackground(light: .light, dark: .dark)
    }
  }
}
