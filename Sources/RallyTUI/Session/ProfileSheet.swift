import RallyClient
import RallyDomain
import RallyState
import RallySystem
import RallyWire
import TerminalKit
import TerminalState

/// The form that edits the user's public profile.
struct ProfileSheet: View {
  @Environment(\.draftStores) private var draftStores

  var body: some View {
    ProfileForms(
      store: draftStores.store(
        type: ProfileEditorReducer.self, state: ProfileEditorReducer.State()
      ) { ProfileEditorReducer.Environment(profileService: $0.profileService) })
  }
}

private struct ProfileForms: View {
  let store: Store<ProfileEditorReducer>

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.socialStore) private var socialStore
  @State private var focus: FieldProblem.Field? = .displayName

  var body: some View {
    let draft = store.state
    Box(title: "Your profile") {
      VStack(spacing: 0) {
        switch draft.saved {
        case .loaded: fields(draft)
        case .failed(let refusal):
          Paragraph("! \(refusal.failure.sentence)", .danger)
          Text("")
          KeyHints([(.refresh, "tries again"), (.back, "closes")])
        case .idle, .loading, .cancelled: ProgressText("Fetching your profile…")
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 64)
    .onIdle(of: draft.saved) { store.send(.open) }
    .task {
      // On reopening, the profile may have changed on the server, or the server may be reachable
      // again.
      if store.saved.value != nil || store.saved.isFailure { store.send(.open) }
    }
    .onLoadingComplete(of: draft.submission) { _ in
      interface.overlay = nil
      interface.say("Profile changed.", kind: .success)
      let socialStore = socialStore
      Task { await socialStore.refreshAll(mode: .refresh) }
    }
    .onFailure(of: draft.submission) { _ in $focus.showProblem(of: store.state) }
    .onEditing(
      draft.saved.value == nil
        ? nil
        : LongText(
          name: "about-you", text: store.binding(\.form.bio), limit: TextLimits.bio.clusters)
    )
    .onActions(handlers(of: draft))
  }

  @ViewBuilder private func fields(_ draft: ProfileEditorReducer.State) -> some View {
    ForEach(draft.fields, id: \.self) { field in
      FormField(
        field: field, text: store.binding(field.profilePath), problem: draft.problem(on: field),
        isFocused: focus == field, placeholder: field == .bio ? "may stay empty" : ""
      ) { focus = field }
    }
    Text("")
    FormButton(
      title: "Change it", waiting: "Changing it", isWaiting: draft.submission.isLoading(),
      hint: "\(back) \(draft.isUntouched ? "closes" : "keeps it for later") ", hintAction: .back,
      submit: send)
    if let problem = draft.formProblem { Paragraph("! \(problem)", .danger) }
  }

  private var back: String { actions.table.way(to: .back) }

  private func handlers(of draft: ProfileEditorReducer.State) -> [ActionHandler] {
    guard draft.saved.value != nil else {
      return [
        ActionHandler(.refresh) { store.send(.open) },
        ActionHandler(.leave) { interface.overlay = nil },
      ]
    }
    return [
      ActionHandler(.fieldNext) { focus = draft.fields.element(after: focus) },
      ActionHandler(.fieldPrevious) { focus = draft.fields.element(after: focus, step: -1) },
      ActionHandler(.submit) { submit() },
      ActionHandler(
        .draftUndo, disabled: draft.canUndo ? nil : "There is nothing to undo in this form."
      ) { store.send(.undo) },
      ActionHandler(
        .redo, disabled: draft.canRedo ? nil : "There is nothing to redo in this form."
      ) { store.send(.redo) },
    ]
  }

  private func submit() {
    if focus != .bio {
      focus = store.state.fields.element(after: focus)
      return
    }
    send()
  }

  private func send() {
    if store.isUntouched { return interface.overlay = nil }
    interface.history.close("A change of your profile")
    store.send(.submit, focus: $focus)
  }
}

extension FieldProblem.Field {
  fileprivate var profilePath: WritableKeyPath<ProfileEditorReducer.State, String> {
    switch self {
    case .displayName: \.form.displayName
    case .bio: \.form.bio
    default: \.form.username
    }
  }
}

/// Asks before the account is deleted for good: the password says that it is meant.
struct DeleteAccountSheet: View {
  let server: ServerChoice

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.socialStore) private var socialStore
  @Environment(\.terminalSize) private var terminalSize
  @State private var store: Store<AccountDeletionReducer>

  init(session: RallySession) {
    server = session.services.server
    _store = State(
      wrappedValue: Store(
        initialState: AccountDeletionReducer.State(),
        environment: AccountDeletionReducer.Environment(session: session)))
  }

  var body: some View {
    let draft = store.state
    Box(title: "Delete your account for good?", style: .warning) {
      VStack(spacing: 0) {
        Paragraph(
          "Friendships, positions and messages go. Missions with others stay, without your name; "
            + "your open ones are cancelled. Nobody can bring it back.")
        if !terminalSize.isCompact { Text("") }
        FormNote(label: "Account", text: "\(socialStore.profile?.handle ?? "") on \(server.words)")
        FormField(
          field: .password, text: store.binding(\.password), problem: draft.problem(on: .password),
          isFocused: true, isSecret: !draft.isPasswordShown)
        if !terminalSize.isCompact { Text("") }
        FormButton(
          title: "Delete it", waiting: "Deleting it", isWaiting: draft.submission.isLoading(),
          hint: "\(actions.table.way(to: .back)) keeps it ", hintAction: .back,
          submit: send)
        if let problem = draft.formProblem { Paragraph("! \(problem)", .danger) }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .onAction(.showPassword) { store.binding(\.isPasswordShown).toggle() }
    .onAction(.submit) { send() }
    .onAction(
      .back, if: draft.submission.isLoading(), disabled: "One moment: it is being deleted."
    ) {}
  }

  private func send() {
    let (store, interface) = (store, interface)
    Task {
      await store.send(.submit)
      guard interface.overlay != .deleteAccount, let failure = store.submission.failure else {
        return
      }
      interface.say(failure.sentence, kind: .failure)
    }
  }
}
