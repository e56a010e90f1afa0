import RallyDomain
import RallyWire
import TerminalKit

/// An invitation, shown before it is accepted.
struct InvitationSheet: View {
  @Environment(\.invitationsStore) private var invitationsStore
  @Environment(\.syncCoordinator) private var syncCoordinator
  @Environment(\.navigationService) private var navigationService
  @Environment(\.interface) private var interface

  var body: some View {
    let phase = invitationsStore.phase
    InvitationCard(phase: phase, now: .now)
      .onActions(handlers(phase))
      .onAction(.leave) { close(phase) }
      .onAction(.back) { close(phase) }
  }

  private func handlers(_ phase: InvitationPhase) -> [ActionHandler] {
    switch phase {
    case .offered(let offer):
      [
        ActionHandler(.invitationAccept) {
          if offer.isAccepted { close(phase) } else { accept() }
        }
      ]
    case .refused(_, canRetry: true):
      [ActionHandler(.invitationRetry) { Task { await invitationsStore.retry() } }]
    case .refused, .idle: [ActionHandler(.submit) { close(phase) }]
    case .reading, .accepting: []
    }
  }

  /// Continues when the sheet is closed: the result of a pending acceptance is still shown.
  private func accept() {
    let (store, interface) = (invitationsStore, interface)
    Task {
      switch await store.accept() {
      case .done(let result):
        if interface.overlay == .invitation { interface.overlay = nil }
        interface.say(InvitationWords.sentence(on: result), kind: .success)
        navigationService.select(result.kind == .friendship ? .friends : .missions)
        syncCoordinator.syncOnRequest()
      // Also when the sheet was closed meanwhile.
      case .refused: if store.phase != .idle { interface.overlay = .invitation }
      case .invalid, .notStarted: break
      }
    }
  }

  private func close(_ phase: InvitationPhase) {
    interface.overlay = nil
    if case .accepting = phase { return }
    invitationsStore.dismiss()
  }
}

/// The sheet without its actions, so that tests can render it.
struct InvitationCard: View {
  let phase: InvitationPhase
  let now: WireTime

  var body: some View {
    Box(title: "Invitation") {
      VStack(spacing: 0) {
        switch phase {
        case .idle: Paragraph("There is no invitation.", .dim)
        case .reading: ProgressText("Asking what it gives…")
        case .offered(let offer), .accepting(let offer):
          ForEach(InvitationWords.lines(on: offer, at: now), id: \.self) { Paragraph($0) }
        case .refused(let sentence, _): Paragraph(sentence, .danger)
        }
        Text("")
        switch phase {
        case .offered(let offer) where !offer.isAccepted:
          ChoiceLine(title: "Accept", id: .invitationAccept, otherTitle: "Not now")
        case .accepting: ProgressText("Accepting…")
        case .refused(_, canRetry: true):
          ChoiceLine(title: "Try again", id: .invitationRetry, otherTitle: "Close")
        default: KeyHints([(.back, "close")])
        }
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 60)
  }
}
