import FoundationEssentials
import RallyClient
import RallyDomain
import RallySystem
import RallyWire
import TerminalKit

/// Runs a session while its interface is shown: passes it what the terminal does, and shows its
/// news.
///
/// Around the frame and not in the view that makes it: it runs at every change of what it observes,
/// and the frame stays as it is then.
private struct SessionFollowing: View {
  let content: AnyView
  let services: AppServices
  let stores: SharedStores

  @State private var running: RunningSession
  @Environment(\.actions) private var actions
  @Environment(\.configuration) private var configuration
  @Environment(\.desktopNotifier) private var desktopNotifier
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  init(content: AnyView, session: RallySession, stores: SharedStores) {
    self.content = content
    self.stores = stores
    services = session.services
    _running = State(wrappedValue: RunningSession(session, stores))
  }

  var body: some View {
    content
      .task { for await news in running.news() { display.show(news) } }
      .task {
        terminal.setMouse(isMouseTaken)
        running.configurationChanged(configuration)
        await running.run(hasFocus: terminal.hasFocus)
      }
      .onChanges(
        ChangeObserver(services.linkService.state.isReached) { _, isReached in
          if isReached { interface.toasts.serverReached() }
        },
        ChangeObserver(terminal.isForeground) { running.foregroundChanged($1) },
        ChangeObserver(terminal.hasFocus) { _, hasFocus in
          running.focusChanged(hasFocus)
          if hasFocus { desktop.seen() }
        },
        ChangeObserver(configuration) { running.configurationChanged($1) },
        ChangeObserver(services.navigationService.selectedTab) { running.tabChanged(to: $1) },
        ChangeObserver(isMouseTaken) { terminal.setMouse($1) }
      )
  }

  private var isMouseTaken: Bool {
    !interface.isTextOnly
      && MouseUse.isTaken(interface.isMouseWanted, tab: services.navigationService.selectedTab)
  }

  private var desktop: NotificationDispatcher {
    NotificationDispatcher(notifier: desktopNotifier, terminal: terminal)
  }

  private var display: SessionNewsDisplay {
    SessionNewsDisplay(
      running: running, interface: interface, actions: actions, terminal: terminal,
      desktop: desktop,
      onMyWay: OnMyWayActs(
        sharing: stores.locationSharing, missions: stores.missions,
        provider: services.currentLocationProvider, interface: interface,
        me: stores.missions.userID, now: .now))
  }
}

extension View {
  /// Runs the session for as long as the view is shown.
  func followsSession(_ session: RallySession, _ stores: SharedStores) -> some View {
    SessionFollowing(content: AnyView(self), session: session, stores: stores)
  }
}

/// Shows what a running session has to say.
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
      onMyWay.offerAtStart(
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
