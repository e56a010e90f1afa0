import RallyDomain
import RallyState
import RallySystem
import RallyWords
import TerminalKit

/// The settings that can change at run time; every change takes effect at once.
struct SettingsSheet: View {
  @Environment(\.draftStores) private var draftStores
  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.terminal) private var terminal

  var body: some View {
    let interface = interface
    let terminal = terminal
    let policy = runtimePolicyCoordinator
    let current = InterfacePreferences(
      theme: interface.theme, mouse: MouseSetting(interface.isMouseWanted),
      policy: policy.overrides)
    SettingsForm(
      store: draftStores.store(
        type: SettingsReducer.self, state: SettingsReducer.State(current)
      ) { _ in
        SettingsReducer.Environment { preferences in
          interface.isMouseWanted = preferences.mouse.isWanted
          policy.overrides = preferences.policy
          guard interface.theme != preferences.theme else { return }
          interface.theme = preferences.theme
          terminal.setTheme(preferences.theme.choice)
        }
      }, current: current
    )
    .actions([Self.sshKeys], in: self)
  }
}

extension SettingsSheet {
  static let all = [sshKeys.action, SettingsForm.keep.action]

  static let sshKeys = FeatureAction<Self>(
    id: "ssh-key.show", name: "my-ssh-keys", title: "SSH keys",
    summary: "See the SSH keys that come in as you.", keys: ["s"], section: "SSH keys",
    footer: 542, run: { $0.interface.overlay = .sshKeys })
}

struct SettingsForm: View {
  let store: Store<SettingsReducer>
  let current: InterfacePreferences

  @Environment(\.actions) private var actions
  @Environment(\.configuration) private var configuration
  @Environment(\.configurationChanges) private var configurationChanges
  @Environment(\.interface) private var interface
  @Environment(\.runtimePolicyCoordinator) private var runtimePolicyCoordinator
  @Environment(\.terminalSize) private var terminalSize
  @State private var selection: SettingsReducer.Setting? = .theme

  var body: some View {
    let state = store.state
    Box(title: "Settings") {
      VStack(spacing: 0) {
        List(SettingsReducer.Setting.allCases, id: \.self, selection: $selection) {
          setting, isSelected in
          Line(
            Span(isSelected ? "▸ " : "  "),
            Span(setting.label.truncated(toCells: labelWidth - 1).padded(toCells: labelWidth)),
            Span(
              state.choice(of: setting),
              state.choice(of: setting) == setting.standard ? .dim : .accent))
        }
        .frame(height: min(SettingsReducer.Setting.allCases.count, max(3, terminalSize.height - 8)))
        Text("")
        Text(runtimePolicyCoordinator.policySentence.text, .dim)
        Paragraph(
          canKeep
            ? "This holds until Rally ends, unless \(actions.table.way(to: Self.keep.id)) keeps it:"
            : "This holds until Rally ends. In a configuration:", .dim)
        Text(selection.map { state.configurationLine(of: $0) } ?? "", .dim)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 60)
    .task { store.send(.open(current)) }
    .actions([Self.keep], in: self)
    // Enter does what the key for the next choice does.
    .showsHints(of: [Action.submit.id])
    .onActions([
      ActionHandler(.choiceNext) { cycle(by: 1) },
      ActionHandler(.choicePrevious) { cycle(by: -1) },
      ActionHandler(.submit) { cycle(by: 1) },
      ActionHandler(
        .undo, disabled: state.canUndo ? nil : "There is nothing to undo here."
      ) { store.send(.undo) },
      ActionHandler(
        .redo, disabled: state.canRedo ? nil : "There is nothing to redo here."
      ) { store.send(.redo) },
      ActionHandler(.leave) { interface.overlay = nil },
    ])
  }

  private var labelWidth: Int { terminalSize.isCompact ? 20 : 26 }

  private func cycle(by step: Int) {
    if let selection { store.send(.cycle(selection, by: step)) }
  }

  private var canKeep: Bool { configurationChanges?.canKeep == true }

  private var keepProblem: String? {
    store.state.unkept(in: configuration).isEmpty
      ? "Nothing here differs from what the configuration has." : nil
  }

  /// Keeps what differs from the configuration.
  private func keep() {
    let unkept = store.state.unkept(in: configuration)
    guard let configurationChanges, !unkept.isEmpty else { return }
    let interface = interface
    Task {
      do {
        let overrides = try await configurationChanges.keep(unkept)
        let names = unkept.map(\.setting.key).joined(separator: ", ")
        interface.say("settings.toml keeps \(names).", kind: .success)
        for override in overrides { interface.say(override.shortDescription, kind: .warning) }
      } catch let problem as ConfigurationProblem {
        interface.say("Not kept. \(problem.shortDescription)", kind: .failure)
      } catch {
        interface.say("Not kept. \(error.sentence)", kind: .failure)
      }
    }
  }
}

extension SettingsForm {
  static let keep = FeatureAction<Self>(
    id: "choice.keep", name: "keep-settings", title: "keep",
    summary:
      "Keep the settings for the next start: settings.toml beside the configuration has them.",
    keys: ["w"], section: "Forms", footer: 68, shown: { $0.canKeep },
    disabled: { $0.keepProblem }, run: { $0.keep() })
}

extension SettingsReducer.Setting {
  /// The default value.
  fileprivate var standard: String {
    SettingsReducer.State(InterfacePreferences()).choice(of: self)
  }

  /// The label of the row.
  fileprivate var label: String {
    switch self {
    case .theme: "Theme"
    case .mouse: "Mouse (auto: on the map)"
    case .signal(.lowPower): "Saves power"
    case .signal(.thermal): "Heat"
    case .signal(.lowData): "Saves data"
    case .signal(.expensive): "Network is expensive"
    case .signal(.network): "Network is there"
    }
  }
}
