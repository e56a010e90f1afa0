import RallyDomain
import TerminalKit

extension View {
  /// Draws what floats over the screens: a question, the help, a report.
  func floatingOverlays() -> some View { Overlays(content: AnyView(self)) }
}

private struct Overlays: View {
  let content: AnyView
  @Environment(\.allowsPlainHTTP) private var allowsPlainHTTP
  @Environment(\.interface) private var interface
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.paletteState) private var paletteState
  @Environment(\.importService) private var importService
  @Environment(\.rallySession) private var rallySession

  private var services: AppServices? { rallySession?.services }

  var body: some View {
    content
      .modal(item: Binding(interface, \.overlay)) { sheet($0).undoActions() }
      .modal(item: Binding(interface, \.question)) { question in
        QuestionBox(question: question)
      }
    ToastOverSheets()
  }

  @ViewBuilder private func sheet(_ overlay: Interface.Overlay) -> some View {
    switch overlay {
    case .help: HelpScreen()
    case .policy: PolicyReport()
    case .messages: MessageList()
    case .log: LogSheet()
    case .server: ServerForm(allowsPlainHTTP: allowsPlainHTTP)
    case .goTo: GoToSheet()
    case .anything: PaletteSheet(palette: paletteState.palette ?? Palette())
    case .sharing(let friendID): SharingSheet(friendID: friendID)
    case .position(let friendID): PositionSheet(friendID: friendID)
    case .sources: SourcesSheet()
    case .profile: ProfileSheet()
    case .deleteAccount: if let rallySession { DeleteAccountSheet(session: rallySession) }
    case .settings: SettingsSheet()
    case .members(let missionID): MembersSheet(missionID: missionID)
    case .inviteFriends(let missionID): InviteSheet(missionID: missionID)
    case .missionCard(let missionID): MissionCardSheet(missionID: missionID)
    case .compose(let missionID, let place):
      MissionComposerSheet(
        mission: missionID.flatMap { missionsStore.mission($0) },
        place: place.map { Place(name: nil, coordinate: $0) }
      ) { interface.overlay = nil }
    case .invitation: InvitationSheet()
    case .invitations: InvitationsSheet()
    case .privacy: PrivacySheet()
    case .alerts: AlertsSheet()
    case .phones: if let services { PhonesSheet(services.makePhonesStore()) }
    case .links: LinksSheet()
    case .sshKeys: if let services { SSHKeysSheet(services.makeSSHKeysStore()) }
    case .calendar: if let services { CalendarSheet(services.makeCalendarStore()) }
    case .streets: StreetsSheet()
    case .here(let choice): HereSheet(choice: choice)
    case .importFile(let path):
      ImportSheet(path: path, store: ImportStore(importService: importService))
    }
  }
}

/// The toast while no sheet covers the screens.
struct ToastUnderSheets: View {
  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    // A screen reader has a row of its own for it.
    if !interface.isCovered, !isPlain { ToastOverlay(Binding(interface, \.toasts)) }
  }
}

/// The toast over a sheet or a question.
private struct ToastOverSheets: View {
  @Environment(\.interface) private var interface
  @Environment(\.isPlain) private var isPlain

  var body: some View {
    if interface.isCovered, !isPlain { CoveringToast(toasts: Binding(interface, \.toasts)) }
  }
}

/// A question with the safe answer as the default one.
struct QuestionBox: View {
  let question: Question
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface

  var body: some View {
    Box(title: question.title, style: .warning) {
      VStack(spacing: 0) {
        ForEach(question.consequences, id: \.self) { Paragraph($0) }
        Text("")
        ClickLine([
          ClickLine.Part(
            Span("[ \(question.safeVerb)  \(actions.table.way(to: .back)) ]", .normal.bold)
          ) { [interface] in interface.question = nil },
          ClickLine.Part(Span("     ")),
          ClickLine.Part(
            Span("\(question.verb)  \(actions.table.way(to: Self.confirm.id))", .danger)
          ) { [actions] in actions.perform(Self.confirm.id) },
        ])
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 56)
    .showsHints(of: [Self.confirm.id, Action.back.id, Action.submit.id])
    .actions([Self.confirm], in: self)
    .onAction(.submit) { interface.question = nil }
    .onAction(.leave) { interface.question = nil }
  }

  private func accept() {
    interface.question = nil
    question.onConfirm()
  }
}

extension QuestionBox {
  static let confirm = FeatureAction<Self>(
    id: "confirm", title: "yes", summary: "Do what is asked.", keys: ["y"], section: "Forms",
    footer: 10, run: { $0.accept() })
}
