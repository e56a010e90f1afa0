import RallyClient
import RallyDomain
import RallyState
import RallySystem
import RallyWire
import TerminalKit
import TerminalState

/// Creates an account; on the embedded server a username and a password are enough.
struct SignUpForm: View {
  let session: RallySession

  @Environment(\.actions) private var actions
  @State private var store: Store<SignUpReducer>
  @State private var focus: FieldProblem.Field?

  init(session: RallySession, authService: AuthService, broadcastStudio: BroadcastStudio) {
    self.session = session
    let kind = session.services.server.kind
    let invitation: InvitationCode? =
      if case .found(let found) = session.lookup { found.code } else { nil }
    _store = State(
      wrappedValue: Store(
        initialState: SignUpReducer.State(serverKind: kind, invitation: invitation),
        environment: SignUpReducer.Environment(
          authService: authService,
          serverHealthService: session.services.serverHealthService,
          broadcastStudio: broadcastStudio)))
    _focus = State(wrappedValue: kind == .embedded || invitation != nil ? .username : .email)
  }

  var body: some View {
    let draft = store.state
    Box(title: "New account") {
      VStack(spacing: 0) {
        FormNote(label: "Server", text: session.services.server.words)
        ForEach(draft.fields, id: \.self) { field in
          FormField(
            field: field,
            text: store.binding(field.signUpPath).takingLinks(session, unless: field == .password),
            problem: draft.problem(on: field), isFocused: focus == field,
            isSecret: field == .password && !draft.isPasswordShown, placeholder: field.hint
          ) { focus = field }
        }
        if let email = draft.derivedEmail {
          FormNote(label: "Signs in", text: email)
        }
        if draft.policy == .closed { Paragraph("! \(AuthError.signUpClosed.sentence)", .danger) }
        Text("")
        FormButton(
          title: "Create account", waiting: "Creating the account",
          isWaiting: draft.submission.isLoading(),
          hint: "Have one? \(actions.table.way(to: Action.otherForm.id)) ",
          hintAction: Action.otherForm, isHintKept: true, submit: send)
        if let problem = draft.formProblem { Paragraph("! \(problem)", .danger) }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .task { await store.send(.fetchPolicy) }
    .onAction(.fieldNext) { focus = draft.fields.element(after: focus) }
    .onAction(.fieldPrevious) { focus = draft.fields.element(after: focus, step: -1) }
    .onAction(.showPassword) { store.binding(\.isPasswordShown).toggle() }
    .onAction(.submit) { submit() }
    .onLoadingComplete(of: draft.submission) { _ in Task { await session.signedIn() } }
    .onFailure(of: draft.submission) { _ in $focus.showProblem(of: store.state) }
  }

  private func submit() {
    let fields = store.state.fields
    if focus != fields.last, let next = fields.element(after: focus) {
      focus = next
      return
    }
    send()
  }

  private func send() { store.send(.submit, focus: $focus) }
}

extension FieldProblem.Field {
  fileprivate var signUpPath: WritableKeyPath<SignUpReducer.State, String> {
    switch self {
    case .email: \.email
    case .password: \.password
    case .displayName: \.displayName
    case .code: \.code
    default: \.username
    }
  }

  fileprivate var hint: String {
    switch self {
    case .username: "3–24 of a–z, 0–9, _, ."
    case .displayName: "may stay empty"
    case .password: "at least 6 characters"
    case .code: "of somebody who is here already"
    default: ""
    }
  }
}

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

extension Binding where Value == String {
  /// Opens an invitation that is pasted into a field, which stays as it was.
  ///
  /// - Parameter isSecret: A password may look like anything.
  func takingLinks(_ session: RallySession, unless isSecret: Bool) -> Binding<String> {
    guard !isSecret else { return self }
    return Binding(
      get: { wrappedValue },
      set: { text in
        // A link that is typed letter by letter is whole only at its end.
        let isPasted = text.count > wrappedValue.count + 8
        let isWhole = InvitationLink.isLink(text) && (try? InvitationLink(text)) != nil
        guard InvitationLink.isLink(text), isPasted || isWhole else { return wrappedValue = text }
        session.take(text)
      })
  }
}
