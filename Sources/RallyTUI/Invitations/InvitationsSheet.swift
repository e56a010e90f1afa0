import RallyDomain
import RallySystem
import RallyWire
import RallyWords
import TerminalKit

/// My own codes that can still be accepted, and a key that makes one.
struct InvitationsSheet: View {
  @Environment(\.invitationsStore) private var invitationsStore
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.interface) private var interface
  @Environment(\.capabilities) private var capabilities
  @State private var selection: String?
  @State private var showsQRCode = false

  var body: some View {
    let codes = invitationsStore.codes
    let selected = selected
    InvitationList(
      codes: codes, selected: selected, way: way, showsQRCode: showsQRCode && way.isLink,
      isBusy: invitationsStore.isBusy, problem: problem,
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .task { await invitationsStore.fetchCodes() }
    .onCopy(disabled: selected == nil ? "There is no code to copy." : nil) {
      selected.map {
        Clipping(text: way.text(of: $0.code), title: way.isLink ? "the link" : "the code")
      }
    }
    .actions(Self.all, in: self)
  }

  private var way: InvitationWay {
    InvitationWay(
      server: sharingCoordinator.server, settings: invitationsStore.settings,
      isGuest: !capabilities.contains(.otherServers))
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
        interface.say(OutcomeText.revoked(selected.code), kind: .success)
      }
    }
  }
}

extension InvitationsSheet {
  static let make = FeatureAction<Self>(
    id: "invitation.make", name: "make-code", title: "new code",
    summary: "Create a code; whoever accepts it becomes your friend.", keys: ["c"],
    section: "Invitations", disabled: { $0.invitationsStore.isChanging ? "One moment." : nil },
    run: { $0.makeCode() })
  static let revoke = FeatureAction<Self>(
    id: "invitation.revoke", name: "revoke-code", title: "take back",
    summary: "Take the code back; what it gave stays.", keys: ["x"], section: "Invitations",
    disabled: { $0.selected == nil ? "There is no code to take back." : nil },
    run: { $0.revokeSelected() })

  static let qrCode = FeatureAction<Self>(
    id: "invitation.qr", name: "invitation-qr", title: "QR code",
    summary: "Show the link as a QR code, or as text again.", keys: ["Q"], section: "Invitations",
    disabled: {
      $0.selected == nil
        ? "There is no code to show." : $0.way.isLink ? nil : "A code alone needs no QR code."
    },
    run: { $0.showsQRCode.toggle() })

  static let all = [
    make, revoke, qrCode, FeatureAction(.leave, run: { $0.interface.overlay = nil }),
  ]
}

/// The sheet without its actions, so that tests can render it.
struct InvitationList: View {
  let codes: [InvitationRecord]
  let selected: InvitationRecord?
  let way: InvitationWay
  var showsQRCode = false
  let isBusy: Bool
  let problem: String?
  let selection: Binding<String?>

  @Environment(\.actions) private var actions
  @Environment(\.terminalSize) private var terminalSize

  var body: some View {
    Box(title: "Your codes") {
      VStack(spacing: 0) {
        if let selected, showsQRCode {
          InvitationQRCode(text: way.text(of: selected.code))
        } else if let selected {
          Paragraph(way.text(of: selected.code), .accent)
          Paragraph(InvitationText.sentence(on: selected), .dim)
          if let guests = InvitationText.guests(of: selected) { Paragraph(guests, .dim) }
          if let limit = InvitationText.limit(of: way) { Paragraph(limit, .dim) }
          if let ssh = way.ssh { Paragraph("With nothing installed: \(ssh)", .dim) }
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
      ? []
      : [
        (.copy, way.isLink ? "copy the link" : "copy the code")
      ] + qrCode + [(InvitationsSheet.revoke.action, "take back")]
    return [(InvitationsSheet.make.action, "new code")] + selected + [(.back, "close")]
  }

  /// Where there is a link, and room to name the key.
  private var qrCode: [(action: Action, title: String)] {
    way.isLink && terminalSize.width >= 80
      ? [(InvitationsSheet.qrCode.action, showsQRCode ? "text" : "QR code")] : []
  }

  private func row(_ invitation: InvitationRecord, _ isSelected: Bool) -> Line {
    Line(
      Span(isSelected ? "▸ " : "  "), Span(invitation.code.description),
      Span("  "), Span(InvitationText.uses(of: invitation).padded(toCells: 12), .dim),
      Span("  "), Span(InvitationText.purpose(of: invitation)),
      Span(invitation.expiresAt.map { "  until \(Age.day($0))" } ?? "", .dim))
  }
}
