import Observation
import RallyDomain
import RallyWire
import TerminalKit

/// My own codes that can still be accepted, and a key that makes one.
struct InvitationsSheet: View {
  @Environment(\.invitationsService) private var invitationsService
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.interface) private var interface
  @State private var codes = OwnCodes()
  @State private var selection: String?

  var body: some View {
    let selected = codes.all.first { $0.id == selection } ?? codes.all.first
    InvitationList(
      codes: codes.all, selected: selected, server: sharingCoordinator.server,
      isBusy: codes.isBusy, problem: codes.problem,
      selection: Binding(get: { selected?.id }, set: { selection = $0 })
    )
    .task { await codes.open(invitationsService) }
    .onCopy(disabled: selected == nil ? "There is no code to copy." : nil) {
      selected.map { Clipping(InvitationLink(code: $0.code, from: sharingCoordinator.server)) }
    }
    .onActions([
      ActionHandler(.invitationMake, disabled: codes.isBusy ? "One moment." : nil) {
        Task {
          await codes.make(invitationsService)
          selection = codes.all.first?.id
        }
      },
      ActionHandler(
        .invitationRevoke, disabled: selected == nil ? "There is no code to take back." : nil
      ) {
        guard let selected else { return }
        Task {
          if await codes.revoke(selected, invitationsService) {
            interface.say("Nobody can accept \(selected.code) any more.", kind: .success)
          }
        }
      },
      ActionHandler(.leave) { interface.overlay = nil },
    ])
  }
}

/// The state of the sheet.
@MainActor
@Observable
private final class OwnCodes {
  private(set) var all: [InvitationRecord] = []
  private(set) var isBusy = true
  /// The last error, as a sentence.
  private(set) var problem: String?

  /// Fetches my codes. Looking makes none.
  func open(_ service: InvitationsService) async {
    await perform {
      self.all = try await Pages.all {
        try await service.fetchInvitations(limit: Paging.maximumLimit, offset: $0)
      }
    }
  }

  func make(_ service: InvitationsService) async {
    guard !isBusy else { return }
    await perform { self.all.insert(try await service.createInvitation(), at: 0) }
  }

  /// - Returns: Whether the code was revoked.
  func revoke(_ invitation: InvitationRecord, _ service: InvitationsService) async -> Bool {
    guard !isBusy else { return false }
    await perform {
      try await service.revokeInvitation(invitation.code)
      self.all.removeAll { $0.id == invitation.id }
    }
    return problem == nil
  }

  private func perform(_ work: @MainActor () async throws -> Void) async {
    isBusy = true
    problem = nil
    do {
      try await work()
    } catch {
      if !error.isExpectedError() { problem = error.sentence }
    }
    isBusy = false
  }
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
          Paragraph(InvitationWords.sentence(on: selected), .dim)
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
            "No code of yours is open. \(actions.table.way(to: .invitationMake)) makes one; "
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

  private var hints: [(id: ActionID, title: String)] {
    let selected: [(id: ActionID, title: String)] =
      selected == nil ? [] : [(.copy, "copy the link"), (.invitationRevoke, "take back")]
    return [(.invitationMake, "new code")] + selected + [(.back, "close")]
  }

  private func row(_ invitation: InvitationRecord, _ isSelected: Bool) -> Line {
    Line(
      Span(isSelected ? "▸ " : "  "), Span(invitation.code.description),
      Span("  "), Span(InvitationWords.uses(of: invitation).padded(toCells: 12), .dim),
      Span("  "), Span(InvitationWords.purpose(of: invitation)),
      Span(invitation.expiresAt.map { "  until \(Age.day($0))" } ?? "", .dim))
  }
}
