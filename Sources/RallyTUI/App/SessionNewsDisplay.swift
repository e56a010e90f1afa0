import FoundationEssentials
import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Shows what a running session has to say.
@MainActor
struct SessionNewsDisplay {
  let running: RunningSession
  let interface: Interface
  let actions: ActionCatalog
  let terminal: TerminalControl
  let desktop: NotificationDispatcher
  let onMyWay: OnMyWayActs

  func show(_ news: SessionNews) {
    switch news {
    case .information(let sentence): interface.say(sentence)
    case .success(let sentence): interface.say(sentence, kind: .success)
    case .warning(let sentence): interface.say(sentence, kind: .warning)
    case .problem(let sentence): interface.say(sentence, kind: .failure)
    case .failure(let error):
      interface.say(
        error.sentence, kind: .failure,
        details: error.technicalDetails.isEmpty ? nil : error.technicalDetails,
        untilReached: error.isOffline)
    case .locationAsked(let sentence):
      let (answer, dismiss) = (
        key(of: LocationAskActions.answer.id), key(of: LocationAskActions.dismiss.id)
      )
      interface.say("\(sentence) \(answer) shows them, \(dismiss) dismisses.")
    case .arrived(let mission):
      let way = mission.nextObjective(at: .now).map {
        " \(key(of: MissionActions.checkIn.id)) in it checks in at \($0.title)."
      }
      interface.say("You are at “\(mission.title)”." + (way ?? ""))
    case .missionStarted(let mission):
      onMyWay.askAtStart(
        of: mission, key: key(of: MissionActions.onMyWay.id), questionKey: questionKey)
    case .laterJoiners(let later): onMyWay.offer(to: later, questionKey: questionKey)
    case .missionCompleted(let id): Task { await showCard(of: id) }
    case .announcement(let announcement, let way): desktop.notify(announcement, by: way)
    case .invitation: interface.overlay = .invitation
    case .linkArrived(let link): Task.immediate { await showArrived(link) }
    }
  }

  /// Shows the card of a mission once no key comes, but not over a dialog, the command line or a text
  /// that is typed: there the message stays.
  private func showCard(of id: UUID) async {
    await terminal.quiet(for: interface.quietTime)
    guard !interface.isBusy(actions) else { return }
    interface.toasts.dismiss()
    interface.overlay = .missionCard(id)
  }

  /// Nobody who types is interrupted: while a dialog is open a line says that a link waits.
  private func showArrived(_ link: String) async {
    await terminal.quiet(for: interface.quietTime)
    guard interface.isBusy(actions) else { return running.show(link) }
    interface.wait(
      with: WaitingQuestion(id: "link") { running.show(link) },
      saying: MissionLink(link) == nil
        ? "An invitation came. \(questionKey) shows it."
        : "A link to a mission came. \(questionKey) shows it.")
  }

  private var questionKey: String { key(of: WaitingQuestionActions.open.id) }

  private func key(of id: ActionID) -> String { actions.table.way(to: id) }
}
