import RallyWire

/// The form of what can be set while the program runs; every change holds at once.
public struct SettingsReducer: Reducer {
  /// A row of the form.
  public enum Setting: Hashable, Sendable, CaseIterable {
    case theme
    case mouse
    case signal(PolicySignal)

    public static var allCases: [Setting] {
      [.theme, .mouse] + PolicySignal.allCases.map(Setting.signal)
    }

    /// What it can be set to, in the order in which keys go through it.
    public var choices: [String] {
      switch self {
      case .theme: ThemeSetting.allCases.map(\.rawValue)
      case .mouse: InterfacePreferences.Mouse.allCases.map(\.rawValue)
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

    /// What a row is set to now: one of its choices.
    public func choice(of setting: Setting) -> String {
      switch setting {
      case .theme: preferences.theme.rawValue
      case .mouse: preferences.mouse.rawValue
      case .signal(let signal): preferences.policy.setting(of: signal) ?? "auto"
      }
    }

    /// What keeps a row as it is now beyond the end of the program, in `config.toml`.
    public func configurationLine(of setting: Setting) -> String {
      let place =
        switch setting {
        case .theme: "[interface] theme"
        case .mouse: "[interface] mouse"
        case .signal(let signal): "[policy] \(signal.name.replacing("-", with: "_"))"
        }
      return "\(place) = \"\(choice(of: setting))\""
    }

    mutating func choose(_ choice: String, for setting: Setting) throws(PolicyOverrideProblem) {
      var changed = preferences
      switch setting {
      case .theme: changed.theme = ThemeSetting(rawValue: choice) ?? changed.theme
      case .mouse: changed.mouse = InterfacePreferences.Mouse(rawValue: choice) ?? changed.mouse
      case .signal(let signal): try changed.policy.set(signal, to: choice)
      }
      history.change(to: changed)
    }
  }

  public enum Request: Hashable, Sendable {
    /// The next choice of a row (+1) or the one before (−1), around the end.
    case cycle(Setting, by: Int)
    case undo, redo
    /// The form is on the screen; keys and commands may have changed what holds meanwhile.
    case open(InterfacePreferences)
  }

  public struct Environment: Sendable {
    /// Makes the preferences hold.
    public var apply: @Sendable @MainActor (InterfacePreferences) -> Void

    public init(apply: @escaping @Sendable @MainActor (InterfacePreferences) -> Void) {
      self.apply = apply
    }
  }

  public init() {}

  public func reduce(store: Store<Self>, request: Request) async {
    switch request {
    case .cycle(let setting, let step):
      let choices = setting.choices
      let current = choices.firstIndex(of: store.state.choice(of: setting)) ?? 0
      let next = choices[((current + step) % choices.count + choices.count) % choices.count]
      // A choice of the row's own is never refused.
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
