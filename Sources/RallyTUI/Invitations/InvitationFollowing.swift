import RallyDomain
import RallyWire
import TerminalKit

extension View {
  /// Carries out the directives of the sharing coordinator, and shows the invitation's sheet.
  func followInvitations() -> some View { InvitationFollowing(content: AnyView(self)) }
}

private struct InvitationFollowing: View {
  let content: AnyView
  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.navigationService) private var navigationService
  @Environment(\.terminal) private var terminal
  @Environment(\.sharingCoordinator) private var sharingCoordinator
  @Environment(\.invitationsStore) private var invitationsStore

  var body: some View {
    content.task {
      for await directive in sharingCoordinator.directives() {
        switch directive {
        // Not awaited: a slow response to one code must not delay the next one.
        case .open(let code):
          Task.immediate { await invitationsStore.open(code) }
          interface.overlay = .invitation
        case .refuse(let problem):
          invitationsStore.refuse(problem)
          interface.overlay = .invitation
        case .arrived(let link): Task.immediate { await showArrived(link) }
        }
      }
    }
  }

  /// Nobody who types is interrupted: while a dialog is open a line says that a link waits.
  private func showArrived(_ link: String) async {
    await terminal.quiet(for: interface.quietTime)
    guard interface.isBusy(actions) else { return show(link) }
    let key = actions.table.way(to: WaitingQuestionActions.open.id)
    interface.wait(
      with: WaitingQuestion(id: "link") { show(link) },
      saying: MissionLink(link) == nil
        ? "An invitation came. \(key) shows it." : "A link to a mission came. \(key) shows it.")
  }

  private func show(_ link: String) {
    if let mission = MissionLink(link) {
      navigationService.showMission(mission.id)
    } else {
      sharingCoordinator.open(link)
    }
  }
}
