import RallyDomain

/// What can be set while the program runs; every change holds at once.
struct SettingsSheet: View {
  @Environment(\.draftStores) private var draftStores
  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator

  var body: some View {
    let interface = interface
    let policy = runtimePolicyCoordinator
    let current = InterfacePreferences(
      mouse: InterfacePreferences.Mouse(interface.isMouseWanted), policy: policy.overrides)
    SettingsForm(
      store: draftStores.store(
        type: SettingsReducer.self, state: SettingsReducer.State(current)
      ) { _ in
        SettingsReducer.Environment { preferences in
          interface.isMouseWanted = preferences.mouse.isWanted
          policy.overrides = preferences.policy
        }
      }, current: current)
  }
}

private struct SettingsForm: View {
  let store: Store<SettingsReducer>
  let current: InterfacePreferences

  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @State private var selection: SettingsReducer.Setting? = .mouse

  var body: some View {
    let state = store.state
    Box(title: "Settings") {
      VStack(spacing: 0) {
        List(SettingsReducer.Setting.allCases, id: \.self, selection: $selection) {
          setting, isSelected in
          Line(
            Span(isSelected ? "▸ " : "  "), Span(setting.label.padded(toCells: 26)),
            Span(
              state.choice(of: setting),
              state.choice(of: setting) == "auto" ? .dim : .accent))
        }
        .frame(height: SettingsReducer.Setting.allCases.count)
        Text("")
        Text(runtimePolicyCoordinator.policySentence.text, .dim)
        Text("This holds until Rally ends; config.toml keeps things.", .dim)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 60)
    .task { store.send(.open(current)) }
    .onActions([
      ActionHandler(.choiceNext) { cycle(by: 1) },
      ActionHandler(.choicePrevious) { cycle(by: -1) },
      ActionHandler(.submit) { cycle(by: 1) },
      ActionHandler(
        .undo, disabled: state.canUndo ? nil : "There is nothing to undo here."
      ) { store.send(.undo) },
      ActionHandler(
        .redo, disabled: state.canRedo ? nil : "There is nothing to do again here."
      ) { store.send(.redo) },
      ActionHandler(.leave) { interface.overlay = nil },
    ])
  }

  private func cycle(by step: Int) {
    if let selection { store.send(.cycle(selection, by: step)) }
  }
}

extension InterfacePreferences.Mouse {
  /// - Parameter wanted: Nil takes the mouse on the map only.
  init(_ wanted: Bool?) {
    self = wanted.map { $0 ? .on : .off } ?? .auto
  }

  var isWanted: Bool? { self == .auto ? nil : self == .on }
}

extension SettingsReducer.Setting {
  /// What the row is called.
  fileprivate var label: String {
    switch self {
    case .mouse: "Mouse (auto: on the map)"
    case .signal(.lowPower): "Saves power"
    case .signal(.thermal): "Heat"
    case .signal(.lowData): "Saves data"
    case .signal(.expensive): "Network is expensive"
    case .signal(.network): "Network is there"
    }
  }
}
