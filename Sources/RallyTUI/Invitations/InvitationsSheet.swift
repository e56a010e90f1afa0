import RallyDomain
import RallyWire
import TerminalKit

/// My own codes that can still be accepted, and a key that makes one.
struct InvitationsSheet: View {
  @Environment(\.invitationsStore) private var invitationsStore
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.interface) private var interface
  @State private var selection: String?

  var body: some View {
    let codes = invitationsStore.codes
    let selected = selected
    InvitationList(
      codes: codes, selected: selected, server: sharingCoordinator.server,
      isBusy: invitationsStore.isBusy, problem: problem,
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .task { await invitationsStore.fetchCodes() }
    .onCopy(disabled: selected == nil ? "There is no code to copy." : nil) {
      selected.map { Clipping(InvitationLink(code: $0.code, from: sharingCoordinator.server)) }
    }
    .actions(Self.all, in: self)
  }

  private var problem: String? {
    invitationsStore.loadState.failure?.description
  }

  private var selected: InvitationRecord? {
    invitationsStore.codes.first { $0.id == selection } ?? invitationsStore.codes.first
  }

  private func makeCode() {
    Task {
      let outcome = await interface.act("Making a code") { await invitationsStore.createCode() }
      if let code = outcome.value { selection = code.id }
    }
  }

  private func revokeSelected() {
    guard let selected else { return }
    Task {
      if await interface.act(
        "Taking a code back",
        {
          await invitationsStore.revoke(selected)
        }
      ).isDone {
        interface.say("Nobody can accept \(selected.code) any more.", kind: .success)
      }
    }
  }
}

nonisolated extension InvitationsSheet {
  static let make = FeatureAction<Self>(
    id: "invitation.make", name: "make-code", title: "new code",
    summary: "Create a code; whoever accepts it becomes your friend.", keys: ["c"],
    section: "Invitations", disabled: { $0.invitationsStore.isBusy ? "One moment." : nil },
    run: { $0.makeCode() })
  static let revoke = FeatureAction<Self>(
    id: "invitation.revoke", name: "revoke-code", title: "take back",
    summary: "Take the code back; what it gave stays.", keys: ["x"], section: "Invitations",
    disabled: { $0.selected == nil ? "There is no code to take back." : nil },
    run: { $0.revokeSelected() })

  static let all = [make, revoke, FeatureAction(.leave, run: { $0.interface.overlay = nil })]
}

/// The sheet without its actions, so that tests can render it.
struct InvitationList: View {
  let codes: [InvitationRecord]
  let selected: InvitationRecord?
  let server: ServerChoice
  let isBusy: Bool
  let problem: String?
  let selection: Binding<String?>

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Your codes") {
      VStack(spacing: 0) {
        if let selected {
          Paragraph(InvitationLink(code: selected.code, from: server).description, .accent)
          Paragraph(InvitationText.sentence(on: selected), .dim)
          if server == .embedded {
            Paragraph("It works for the accounts of this machine, whose server it is from.", .dim)
          }
          Text("")
          List(codes, id: \.id, selection: selection) { code, isSelected in
            row(code, isSelected)
          }
          // The list leaves room for the link and its description.
          .frame(height: min(codes.count, 8, max(3, terminalSize.height - 12)))
        } else if !isBusy, problem == nil {
          Paragraph(
            "No code of yours is open. \(actions.table.way(to: InvitationsSheet.make.id)) makes one; "
              + "whoever accepts it becomes your friend.", .dim)
        }
        if isBusy { ProgressText("One moment…") }
        if let problem { Paragraph(problem, .danger) }
        Text("")
        KeyHints(hints)
      }
      .padding(horizontal: 1)
    }
    .frame(maxWidth: 72)
  }

  private var hints: [(action: Action, title: String)] {
    let selected: [(action: Action, title: String)] =
      selected == nil
      ? [] : [(.copy, "copy the link"), (InvitationsSheet.revoke.action, "take back")]
    return [(InvitationsSheet.make.action, "new code")] + selected + [(.back, "close")]
  }

  private func row(_ invitation: InvitationRecord, _ isSelected: Bool) -> Line {
    Line(
      Span(isSelected ? "▸ " : "  "), Span(invitation.code.description),
      Span("  "), Span(InvitationText.uses(of: invitation).padded(toCells: 12), .dim),
      Span("  "), Span(InvitationText.purpose(of: invitation)),
      Span(invitation.expiresAt.map { "  until \(Age.day($0))" } ?? "", .dim))
  }
}
