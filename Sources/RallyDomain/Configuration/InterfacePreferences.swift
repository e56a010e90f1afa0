/// Settings that can change at run time.
public struct InterfacePreferences: Hashable, Sendable {
  /// When Rally captures the mouse.
  public enum Mouse: String, Hashable, Sendable, CaseIterable {
    /// On the map only.
    case auto
    case on, off
  }

  /// The colour theme.
  public var theme: ThemeSetting
  public var mouse: Mouse
  /// Overrides of device signals.
  public var policy: PolicyOverrides

  public init(
    theme: ThemeSetting = .auto, mouse: Mouse = .auto,
    policy: PolicyOverrides = PolicyOverrides()
  ) {
    self.theme = theme
    self.mouse = mouse
    self.policy = policy
  }

  /// What a configuration says of them.
  public init(_ configuration: Configuration) {
    let mouse: Mouse =
      switch configuration.mouse {
      case .auto: .auto
      case .on: .on
      case .off: .off
      }
    self.init(theme: configuration.theme, mouse: mouse, policy: configuration.policy)
  }
}
