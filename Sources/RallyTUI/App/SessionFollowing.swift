import RallyClient
import RallyDomain
import RallyWire
import TerminalKit

/// Runs a session while its interface is shown: tells it what the terminal does, and shows its news.
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
