import RallyDomain
import TerminalKit

extension View {
  /// Carries out the directives of the sharing coordinator, and shows the invitation's sheet.
  func followInvitations() -> some View { InvitationFollowing(content: AnyView(self)) }
}

private struct InvitationFollowing: View {
  let content: AnyView
  @Environment(\.interface) private var interface
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.invitationsStore) private var invitationsStore

  var body: some View {
    content.task {
      for await directive in sharingCoordinator.directives() {
        switch directive {
        // Not awaited: a slow response to one code must not delay the next one.
        case .open(let code): Task.immediate { await invitationsStore.open(code) }
        case .refuse(let problem): invitationsStore.refuse(problem)
        }
        interface.overlay = .invitation
      }
    }
  }
}
