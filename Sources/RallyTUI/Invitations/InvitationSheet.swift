import RallyClient
import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// An invitation, shown before it is accepted.
struct InvitationSheet: View {
  @Environment(\.invitationsStore) private var invitationsStore
  @Environment(\.syncCoordinator) private var syncCoordinator
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface
  @Environment(\.rallySession) private var rallySession
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.terminal) private var terminal
  /// Another name than the one that is offered.
  @State private var profileName: String?

  var body: some View {
    let phase = invitationsStore.phase
    InvitationCard(
      phase: phase, server: sharingCoordinator.server, now: .now, profileName: $profileName,
      profileProblem: profileProblem
    )
    .actions(Self.all, in: self)
    .onAction(.submit, if: phase.isOver) { close(phase) }
    .onAction(.leave) { close(phase) }
    .onAction(.back) { close(phase) }
  }

  private func acceptOffer() {
    guard case .offered(let offer) = invitationsStore.phase else { return }
    if offer.isAccepted { close(invitationsStore.phase) } else { acceptInvitation() }
  }

  /// Continues when the sheet is closed: the result of a pending acceptance is still shown.
  private func acceptInvitation() {
    let (store, interface) = (invitationsStore, interface)
    Task {
      switch await interface.act("Accepting an invitation", { await store.accept() }) {
      case .done(let result):
        if interface.overlay == .invitation { interface.overlay = nil }
        interface.say(InvitationText.sentence(on: result), kind: .success)
        navigationService.select(result.kind == .friendship ? .friends : .missions)
        syncCoordinator.syncOnRequest()
      // Also when the sheet was closed meanwhile.
      case .refused: if store.phase != .idle { interface.overlay = .invitation }
      case .invalid, .notStarted: break
      }
    }
  }

  /// Why there can be no profile of the name that was typed; nil if there can.
  private var profileProblem: String? {
    guard case .elsewhere(_, let offered) = invitationsStore.phase, let profileName else {
      return nil
    }
    return rallySession?.problem(ofProfile: profileName, insteadOf: offered)
  }

  /// Ends here, and goes on as the other profile in the same terminal.
  private func openProfile() {
    guard case .elsewhere(let link, let offered) = invitationsStore.phase, profileProblem == nil
    else { return }
    rallySession?.handOver(to: profileName ?? offered, with: link)
    terminal.quit()
  }

  private func close(_ phase: InvitationPhase) {
    interface.overlay = nil
    if case .accepting = phase { return }
    invitationsStore.dismiss()
  }
}

extension InvitationSheet {
  static let accept = FeatureAction<Self>(
    id: "invitation.accept", name: "accept-code", title: "accept",
    summary: "Accept the invitation.", keys: ["Enter"], section: "Invitations",
    shown: { if case .offered = $0.invitationsStore.phase { true } else { false } },
    run: { $0.acceptOffer() })
  static let retry = FeatureAction<Self>(
    id: "invitation.retry", name: "retry-code", title: "try again",
    summary: "Fetch the invitation again.", keys: ["Enter", "r"], section: "Invitations",
    shown: { $0.invitationsStore.phase.canRetry },
    run: { sheet in Task { await sheet.invitationsStore.retry() } })

  static let change = FeatureAction<Self>(
    id: "invitation.profile", name: "open-profile", title: "open that profile",
    summary: "Open the invitation as the profile that is named.", keys: ["Enter"],
    section: "Invitations",
    shown: { if case .elsewhere = $0.invitationsStore.phase { true } else { false } },
    run: { $0.openProfile() })

  static let all = [accept, retry, change]
}

extension InvitationPhase {
  fileprivate var canRetry: Bool {
    if case .refused(_, canRetry: true) = self { true } else { false }
  }

  /// Whether Enter closes the sheet.
  fileprivate var isOver: Bool {
    switch self {
    case .refused, .idle: !canRetry
    case .offered, .reading, .accepting, .elsewhere: false
    }
  }
}

/// The sheet without its actions, so that tests can render it.
struct InvitationCard: View {
  let phase: InvitationPhase
  var server = ServerChoice.embedded
  let now: WireTime
  /// The name that was typed for a profile of its own; nil for the one that is offered.
  var profileName: Binding<String?>?
  var profileProblem: String?

  var body: some View {
    Box(title: "Invitation") {
      VStack(spacing: 0) {
        switch phase {
        case .idle: Paragraph("There is no invitation.", .dim)
        case .reading: ProgressText("Reading its contents…")
        case .offered(let offer), .accepting(let offer):
          ForEach(InvitationText.lines(on: offer, at: now), id: \.self) { Paragraph($0) }
        case .elsewhere(let link, let offered):
          let name = profileName?.wrappedValue ?? offered
          ForEach(InvitationText.lines(on: link, profile: name, at: server), id: \.self) {
            Paragraph($0)
          }
          if let profileName {
            Text("")
            FormRow(
              label: "Profile",
              text: Binding {
                profileName.wrappedValue ?? offered
              } set: {
                profileName.wrappedValue = $0
              }, isFocused: true)
            if let profileProblem { Paragraph("! \(profileProblem)", .danger) }
          }
        case .refused(let sentence, _): Paragraph(sentence, .danger)
        }
        Text("")
        switch phase {
        case .offered(let offer) where !offer.isAccepted:
          ChoiceLine(title: "Accept", action: InvitationSheet.accept.action, otherTitle: "Not now")
        case .elsewhere:
          ChoiceLine(
            title: "Open that profile", action: InvitationSheet.change.action,
            otherTitle: "Not now")
        case .accepting: ProgressText("Accepting…")
        case .refused(_, canRetry: true):
          ChoiceLine(title: "Try again", action: InvitationSheet.retry.action, otherTitle: "Close")
        default: KeyHints([(.back, "close")])
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 60)
  }
}

/// Why an invitation cannot be opened, before anybody is signed in.
struct RefusedInvitation: View {
  let session: RallySession
  let problem: InvitationLookup.Problem

  var body: some View {
    Box(title: "Invitation") {
      VStack(spacing: 0) {
        Paragraph(problem.sentence, .danger)
        Text("")
        if problem.canRetry {
          ChoiceLine(
            title: "Try again", action: Self.retry.action, otherTitle: "Go on without it")
        } else {
          KeyHints([(.back, "go on without it")])
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 58)
    .actions(Self.all, in: self)
    .onAction(.back) { session.forgetInvitation() }
  }
}

extension RefusedInvitation {
  static let retry = FeatureAction<Self>(
    id: "invitation.ask-again", name: "ask-again", title: "try again",
    summary: "Ask the server of the invitation again.", keys: ["Enter", "r"],
    section: "Invitations", shown: { $0.problem.canRetry },
    run: { sheet in Task { await sheet.session.lookUpInvitation() } })

  static let all = [retry]
}
