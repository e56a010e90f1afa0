import RallyDomain
import TerminalKit

/// The acts that work on every tab.
private struct GlobalActions: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.navigationService) private var navigationService
  @Environment(\.socialStore) private var socialStore
  @Environment(\.syncCoordinator) private var syncCoordinator
  @Environment(\.rallySession) private var rallySession
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.terminalSize) private var terminalSize
  @Environment(\.paneLayoutService) private var paneLayoutService

  var body: some View {
    content.onActions([
      ActionHandler(.tabMap) { navigationService.select(.map) },
      ActionHandler(.tabMissions) { navigationService.select(.missions) },
      ActionHandler(.tabFriends) { navigationService.select(.friends) },
      ActionHandler(.tabNext) { navigationService.selectNeighbour(by: 1) },
      ActionHandler(.tabPrevious) { navigationService.selectNeighbour(by: -1) },
      ActionHandler(.commandLine) { interface.isCommandLineOpen = true },
      ActionHandler(.goToAnything) { goToAnything() },
      ActionHandler(.paneWider, disabled: onePane) { widenPane(by: 2) },
      ActionHandler(.paneNarrower, disabled: onePane) { widenPane(by: -2) },
      ActionHandler(.paneSwap, disabled: onePane) { paneLayoutService.swap() },
      ActionHandler(.refresh) { syncCoordinator.syncOnRequest() },
      ActionHandler(.ghost) { toggleGhost() },
      ActionHandler(.precision) {
        let isOnMap = navigationService.selectedTab == .map
        interface.overlay = .sharing(isOnMap ? mapStore.selectedID : nil)
      },
      ActionHandler(.mouse) { toggleMouse() },
      ActionHandler(
        .undo, disabled: interface.history.undoable.isEmpty ? "Nothing to undo." : nil
      ) {
        Task { if let label = await interface.history.undo() { interface.say("Undone: \(label)") } }
      },
      ActionHandler(
        .redo, disabled: interface.history.redoable.isEmpty ? "Nothing to redo." : nil
      ) {
        Task {
          if let label = await interface.history.redo() { interface.say("Done again: \(label)") }
        }
      },
      ActionHandler(.editProfile) { interface.overlay = .profile },
      ActionHandler(.settings) { interface.overlay = .settings },
      ActionHandler(.signOut) { signOut() },
      ActionHandler(.leave) { if !stepBack() { terminal.quit() } },
      ActionHandler(.back) {
        if !(interface.leaveBare() || interface.dismissToast() || stepBack()) { leaveDemo() }
      },
    ])
  }

  /// Back to the sign-in screen, if one came from there.
  private func leaveDemo() {
    if let demoStatus, demoStatus.isBehindDoor { ask(toLeave: demoStatus) }
  }

  private func ask(toLeave demo: DemoStatus) {
    interface.question = Question(
      id: .signOut, title: "Leave the demo?", consequences: ["Nothing of it is kept."],
      verb: "Leave", safeVerb: "Stay", act: demo.leave)
  }

  private func stepBack() -> Bool {
    interface.leaveBare() || interface.dismissTop() || navigationService.pop()
  }

  private func toggleGhost() {
    let store = locationSharingStore
    Task {
      switch await store.toggleGhost() {
      case .done(nil):
        interface.say("You are back: \(store.sharingSentence).", kind: .success)
      case .done(.gone):
        interface.say(
          "You are a ghost. \(actions.table.way(to: .ghost)) comes back.", kind: .success)
      case .done(.pending), .refused, .invalid, .notStarted: break
      }
    }
  }

  private func goToAnything() {
    interface.palette = Palette(
      friends: socialStore.friends, friendsIndex: socialStore.friendsIndex,
      requests: socialStore.requestEntries, missions: missionsStore.knownMissions,
      actions: actions.available.filter { Self.isWorthFinding($0.action) }, finder: .world,
      recent: interface.recentPicks, isOnMap: { mapStore.position(of: $0) != nil })
    interface.overlay = .anything
  }

  /// Moving is done with its keys or not at all, and one is here already.
  private static func isWorthFinding(_ action: Action) -> Bool {
    let isMovement = action.section == "Moving" || ActionTable.panning.contains(action.id)
    let isHere: Set<ActionID> = [.goToAnything, .commandLine, .back, .cancel]
    return !isMovement && !isHere.contains(action.id)
  }

  private var onePane: String? {
    PaneWidths.standard(for: navigationService.selectedTab, in: terminalSize.width) == nil
      ? "There is room for one pane only." : nil
  }

  private func widenPane(by cells: Int) {
    paneLayoutService.widen(navigationService.selectedTab, by: cells, in: terminalSize.width)
  }

  private func toggleMouse() {
    let isOn = !MouseUse.isTaken(interface.isMouseWanted, tab: navigationService.selectedTab)
    interface.isMouseWanted = isOn
    interface.say(
      isOn
        ? "The mouse works here; Shift and drag selects text in most terminals."
        : "The mouse is the terminal's again.")
  }

  private func signOut() {
    if let demoStatus { return ask(toLeave: demoStatus) }
    interface.question = Question(
      id: .signOut, title: "Sign out?",
      consequences: ["The session and what was last seen are forgotten on this machine."],
      verb: "Sign out", safeVerb: "Stay"
    ) { Task { await rallySession?.signOut() } }
  }
}

/// The acts of the program itself, which work before anybody is signed in.
private struct ProgramActions: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @State private var isLeaving = false

  var body: some View {
    content
      .onActions([
        ActionHandler(.help) {
          interface.helpActions = actions.available
          interface.overlay = .help
        },
        ActionHandler(.bare, isGlobal: true) { interface.isBare.toggle() },
        ActionHandler(.messages) { interface.overlay = .messages },
        ActionHandler(.log) { interface.overlay = .log },
        ActionHandler(.repaint, isGlobal: true) { terminal.repaint() },
        ActionHandler(.suspend, isGlobal: true) { terminal.suspend() },
        ActionHandler(.quit) { terminal.quit() },
        ActionHandler(.cancel, isGlobal: true) { cancel() },
      ])
      .failureCopying()
      .onDisabledAction { _, reason in interface.say(reason, kind: .warning) }
      .onNotice { interface.say($0, kind: .warning) }
  }

  /// The first press takes away what is on top, a second one in a row quits.
  private func cancel() {
    if interface.dismissTop() {
      isLeaving = false
    } else if isLeaving {
      terminal.quit()
    } else {
      isLeaving = true
      interface.say("Press \(actions.table.way(to: .cancel)) once more to quit.")
    }
  }
}

extension View {
  func globalActions() -> some View { GlobalActions(content: AnyView(self)) }
  func programActions() -> some View { ProgramActions(content: AnyView(self)) }
}

/// When the mouse is taken from the terminal, whose own selection does not work meanwhile.
enum MouseUse {
  /// - Parameter wanted: What the person chose; nil takes it on the map only.
  static func isTaken(_ wanted: Bool?, tab: RallyTab) -> Bool { wanted ?? (tab == .map) }
}
