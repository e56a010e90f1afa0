/// What a person can set while the program runs.
public struct InterfacePreferences: Hashable, Sendable {
  /// Whether the mouse is taken from the terminal.
  public enum Mouse: String, Hashable, Sendable, CaseIterable {
    /// On the map only.
    case auto
    case on, off
  }

  /// What the screens look like.
  public var theme: ThemeSetting
  public var mouse: Mouse
  /// What they decided about the device's signals.
  public var policy: PolicyOverrides

  public init(
    theme: ThemeSetting = .terminal, mouse: Mouse = .auto,
    policy: PolicyOverrides = PolicyOverrides()
  ) {
    self.theme = theme
    self.mouse = mouse
    self.policy = policy
  }
}
