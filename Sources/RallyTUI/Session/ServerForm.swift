import RallyClient
import RallyDomain
import RallyEnvironment
import RallyState
import RallyWire
import TerminalKit
import TerminalState

/// Chooses the server: this machine's own, or one that is shared, by its address and key.
struct ServerForm: View {
  @Environment(\.actions) private var actions
  @Environment(\.rallySession) private var rallySession
  @Environment(\.interface) private var interface
  @State private var store: Store<ServerChoiceReducer>

  init(allowsPlainHTTP: Bool) {
    _store = State(
      wrappedValue: Store(
        initialState: ServerChoiceReducer.State(),
        environment: ServerChoiceReducer.Environment(allowsPlainHTTP: allowsPlainHTTP)))
  }

  var body: some View {
    let draft = store.state
    Box(title: "Server") {
      VStack(spacing: 0) {
        Paragraph("Leave the address empty for the server of this machine.", .dim)
        Text("")
        FormField(
          field: .server, text: store.binding(\.address), problem: draft.problem,
          isFocused: !draft.isKeyFocused, placeholder: "https://rally.example.org"
        ) { store.send(.focusKey(false)) }
        FormRow(
          label: "API key", text: store.binding(\.key), isFocused: draft.isKeyFocused,
          placeholder: "rally serve prints it"
        ) { store.send(.focusKey(true)) }
        Text("")
        FormButton(
          title: "Use this server", waiting: "Looking it up…", isWaiting: draft.choice.isLoading(),
          hint: "\(actions.table.way(to: .back)) keeps ", hintAction: .back,
          submit: { store.send(.submit) })
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .onAction(.fieldNext) { store.send(.focusKey(!store.isKeyFocused)) }
    .onAction(.fieldPrevious) { store.send(.focusKey(!store.isKeyFocused)) }
    .onAction(.submit) { store.send(.submit) }
    .onLoadingComplete(of: draft.choice) { use($0.value) }
  }

  private func use(_ selection: ServerSelection) {
    interface.overlay = nil
    switch selection {
    case .server(let server): rallySession?.choose(server)
    case .link(let link): rallySession?.take(link)
    }
  }
}

private struct AllowsPlainHTTPKey: EnvironmentKey {
  static let defaultValue = false
}

extension EnvironmentValues {
  /// Whether `--insecure` was said: servers are spoken to without TLS on public networks too.
  public var allowsPlainHTTP: Bool {
    get { self[AllowsPlainHTTPKey.self] }
    set { self[AllowsPlainHTTPKey.self] = newValue }
  }
}
