import RallyState
import RallySystem
import RallyWire

/// The form for settings that can change at run time; every change takes effect at once.
public struct SettingsReducer: Reducer {
  /// A row of the form.
  public enum Setting: Hashable, Sendable, CaseIterable {
    case theme
    case mouse
    case signal(PolicySignal)

    public static var allCases: [Setting] {
      [.theme, .mouse] + PolicySignal.allCases.map(Setting.signal)
    }

    /// The table of the configuration.
    var section: String { if case .signal = self { "policy" } else { "interface" } }

    /// The key of the configuration.
    var key: String {
      switch self {
      case .theme: "theme"
      case .mouse: "mouse"
      case .signal(let signal): signal.name.replacing("-", with: "_")
      }
    }

    /// The allowed values, in the order in which keys cycle through them.
    public var choices: [String] {
      switch self {
      case .theme: ThemeSetting.allCases.map(\.rawValue)
      case .mouse: MouseSetting.allCases.map(\.rawValue)
      case .signal(let signal): signal.settings
      }
    }
  }

  public struct State: Sendable, Equatable {
    var history: EditHistory<InterfacePreferences>

    public init(_ preferences: InterfacePreferences) { history = EditHistory(preferences) }

    public var preferences: InterfacePreferences { history.present }
    public var canUndo: Bool { history.canUndo }
    public var canRedo: Bool { history.canRedo }

    /// The current value of a row: one of its `choices`.
    public func choice(of setting: Setting) -> String {
      switch setting {
      case .theme: preferences.theme.rawValue
      case .mouse: preferences.mouse.rawValue
      case .signal(let signal): preferences.policy.setting(of: signal) ?? "auto"
      }
    }

    /// The line of a configuration that makes the current value permanent.
    public func configurationLine(of setting: Setting) -> String {
      "[\(setting.section)] \(setting.key) = \"\(choice(of: setting))\""
    }

    /// What a configuration has otherwise, with the current values.
    public func unkept(in configuration: Configuration) -> [KeptSetting] {
      let kept = State(InterfacePreferences(configuration))
      return Setting.allCases.compactMap { row in
        guard kept.choice(of: row) != choice(of: row),
          let setting = ConfigurationSetting.all.first(where: {
            $0.section == row.section && $0.key == row.key
          })
        else { return nil }
        return KeptSetting(setting, value: "\"\(choice(of: row))\"")
      }
    }

    mutating func choose(_ choice: String, for setting: Setting) throws(PolicyOverrideProblem) {
      var changed = preferences
      switch setting {
      case .theme: changed.theme = ThemeSetting(rawValue: choice) ?? changed.theme
      case .mouse: changed.mouse = MouseSetting(rawValue: choice) ?? changed.mouse
      case .signal(let signal): try changed.policy.set(signal, to: choice)
      }
      history.change(to: changed)
    }
  }

  public enum Request: Hashable, Sendable {
    /// Selects the next (+1) or previous (−1) value of a row, wrapping around.
    case cycle(Setting, by: Int)
    case undo, redo
    /// The form appeared; takes over preferences that were changed elsewhere meanwhile.
    case open(InterfacePreferences)
  }

  public struct Environment: Sendable {
    /// Applies the preferences.
    public var apply: @Sendable @MainActor (InterfacePreferences) -> Void

    public init(apply: @escaping @Sendable @MainActor (InterfacePreferences) -> Void) {
      self.apply = apply
    }
  }

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .cycle(let setting, let step):
      let current = store.state.choice(of: setting)
      guard let next = setting.choices.element(after: current, step: step) else { break }
      // A value from the row's own `choices` is never refused.
      modifyValue(store: store, \.self) { try? $0.choose(next, for: setting) }
    case .undo: modifyValue(store: store, \.history) { $0.undo() }
    case .redo: modifyValue(store: store, \.history) { $0.redo() }
    case .open(let preferences):
      modifyValue(store: store, \.history) {
        if $0.present != preferences { $0 = EditHistory(preferences) }
      }
      return
    }
    let preferences = store.preferences
    withEnvironment(store: store, keyPath: \.apply) { $0(preferences) }
  }
}
