import RallyDomain
import RallySystem
import TerminalKit

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

nonisolated extension RefusedInvitation {
  static let retry = FeatureAction<Self>(
    id: "invitation.ask-again", name: "ask-again", title: "try again",
    summary: "Ask the server of the invitation again.", keys: ["Enter", "r"],
    section: "Invitations", shown: { $0.problem.canRetry },
    run: { sheet in Task { await sheet.session.lookUpInvitation() } })

  static let all = [retry]
}
