import RallyDomain
import TerminalKit

extension View {
  /// Shows the sheet for an invitation that is being handled, and a message when it was accepted.
  func followInvitations() -> some View { InvitationFollowing(content: AnyView(self)) }
}

private struct InvitationFollowing: View {
  let content: AnyView
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.invitationsService) private var invitationsService
  @Environment(\.socialStore) private var socialStore
  @Environment(\.missionsStore) private var missionsStore

  var body: some View {
    content
      .task {
        // The program may have been started with an invitation.
        show(sharingCoordinator.phase)
        await invitationsService.follow(sharingCoordinator)
      }
      .onChange(of: sharingCoordinator.phase) { show($1) }
  }

  private func show(_ phase: SharingPhase) {
    switch phase {
    case .idle: break
    case .reading, .offered, .accepting, .refused: interface.overlay = .invitation
    case .accepted(let result):
      if interface.overlay == .invitation { interface.overlay = nil }
      sharingCoordinator.dismiss()
      interface.say(InvitationWords.sentence(on: result), kind: .success)
      navigationService.select(result.kind == .friendship ? .friends : .missions)
      // Without realtime updates nothing else would fetch the change now.
      Task {
        await socialStore.refreshAll(mode: .refresh)
        await missionsStore.refreshAll(mode: .refresh)
      }
    }
  }
}
