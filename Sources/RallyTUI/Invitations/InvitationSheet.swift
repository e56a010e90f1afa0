import RallyDomain
import RallyWire
import TerminalKit

/// An invitation, shown before it is accepted.
struct InvitationSheet: View {
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.interface) private var interface

  var body: some View {
    let phase = sharingCoordinator.phase
    InvitationCard(phase: phase, now: .now)
      .onActions(handlers(phase))
      .onAction(.leave) { close(phase) }
      .onAction(.back) { close(phase) }
  }

  private func handlers(_ phase: SharingPhase) -> [ActionHandler] {
    switch phase {
    case .offered(let offer):
      [
        ActionHandler(.invitationAccept) {
          if offer.isAccepted { close(phase) } else { sharingCoordinator.accept() }
        }
      ]
    case .refused(_, canRetry: true):
      [ActionHandler(.invitationRetry) { sharingCoordinator.retry() }]
    case .refused, .idle, .accepted: [ActionHandler(.submit) { close(phase) }]
    case .reading, .accepting: []
    }
  }

  private func close(_ phase: SharingPhase) {
    interface.overlay = nil
    // The result of a pending request is still shown.
    if case .accepting = phase { return }
    sharingCoordinator.dismiss()
  }
}

/// The sheet without its actions, so that tests can render it.
struct InvitationCard: View {
  let phase: SharingPhase
  let now: WireTime

  var body: some View {
    Box(title: "Invitation") {
      VStack(spacing: 0) {
        switch phase {
        case .idle, .accepted: Paragraph("There is no invitation.", .dim)
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
