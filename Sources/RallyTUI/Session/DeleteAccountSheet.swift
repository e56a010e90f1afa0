import RallyClient
import RallyDomain
import RallyState
import RallyWire
import TerminalKit
import TerminalState

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
