import RallyClient
import RallyDomain
import RallyState
import RallyWire
import TerminalKit
import TerminalState

/// Signs a person in.
struct SignInForm: View {
  let session: RallySession

  @Environment(\.actions) private var actions
  @State private var store: Store<SignInReducer>
  @State private var focus: FieldProblem.Field?

  init(session: RallySession, authService: AuthService, broadcastStudio: BroadcastStudio) {
    self.session = session
    let state = SignInReducer.State(serverKind: session.services.server.kind)
    _store = State(
      wrappedValue: Store(
        initialState: state,
        environment: SignInReducer.Environment(
          authService: authService,
          serverHealthService: session.services.serverHealthService,
          broadcastStudio: broadcastStudio)))
    _focus = State(wrappedValue: state.loginField)
  }

  var body: some View {
    let draft = store.state
    Box(title: "Sign in") {
      VStack(spacing: 0) {
        FormNote(label: "Server", text: session.services.server.words)
        ForEach(draft.fields, id: \.self) { field in
          FormField(
            field: field,
            text: store.binding(field == .password ? \.password : \.login)
              .takingLinks(session, unless: field == .password),
            problem: draft.problem(on: field), isFocused: focus == field,
            isSecret: field == .password && !draft.isPasswordShown
          ) { focus = field }
        }
        Text("")
        FormButton(
          title: "Sign in", waiting: "Signing in", isWaiting: draft.submission.isLoading(),
          hint: "New here? \(actions.table.way(to: Action.otherForm.id)) ",
          hintAction: Action.otherForm, isHintKept: true, submit: send)
        if let problem = draft.formProblem { Paragraph("! \(problem)", .danger) }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .onAction(.fieldNext) { focus = draft.fields.element(after: focus) }
    .onAction(.fieldPrevious) { focus = draft.fields.element(after: focus, step: -1) }
    .onAction(.showPassword) { store.binding(\.isPasswordShown).toggle() }
    .onAction(.submit) { submit() }
    .onAction(.back, if: draft.submission.isLoading()) { store.send(.cancel) }
    .onLoadingComplete(of: draft.submission) { _ in Task { await session.signedIn() } }
    .onFailure(of: draft.submission) { _ in $focus.showProblem(of: store.state) }
    .onCancellation(of: draft.submission) { _ in focus = .password }
  }

  private func submit() {
    if focus != .password {
      focus = .password
      return
    }
    send()
  }

  private func send() { store.send(.submit, focus: $focus) }
}
