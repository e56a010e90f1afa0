import RallyDomain
import TerminalKit

/// Runs a session while its interface is shown: tells it what the terminal does, and shows its news.
///
/// Around the frame and not in the view that makes it: it runs at every change of what it observes,
/// and the frame stays as it is then.
private struct SessionFollowing: View {
  let content: AnyView
  let services: AppServices

  @State private var running: RunningSession
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal

  init(content: AnyView, session: RallySession, stores: SharedStores) {
    self.content = content
    services = session.services
    _running = State(wrappedValue: RunningSession(session, stores))
  }

  var body: some View {
    content
      .task { for await news in running.news() { show(news) } }
      .task {
        terminal.setMouse(isMouseTaken)
        await running.run()
      }
      .onChanges(
        ChangeObserver(services.linkService.state.isReached) { _, isReached in
          if isReached { interface.toasts.serverReached() }
        },
        ChangeObserver(terminal.isForeground) { running.foregroundChanged($1) },
        ChangeObserver(terminal.hasFocus) { running.focusChanged($1) },
        ChangeObserver(services.navigationService.selectedTab) { running.tabChanged(to: $1) },
        ChangeObserver(isMouseTaken) { terminal.setMouse($1) }
      )
  }

  private var isMouseTaken: Bool {
    !interface.isTextOnly
      && MouseUse.isTaken(interface.isMouseWanted, tab: services.navigationService.selectedTab)
  }

  private func show(_ news: SessionNews) {
    switch news {
    case .information(let sentence): interface.say(sentence)
    case .success(let sentence): interface.say(sentence, kind: .success)
    case .warning(let sentence): interface.say(sentence, kind: .warning)
    case .failure(let error):
      interface.say(
        error.sentence, kind: .failure,
        details: error.technicalDetails.isEmpty ? nil : error.technicalDetails,
        untilReached: error.isOffline)
    }
  }
}

extension View {
  /// Runs the session for as long as the view is shown.
  func followsSession(_ session: RallySession, _ stores: SharedStores) -> some View {
    SessionFollowing(content: AnyView(self), session: session, stores: stores)
  }
}
