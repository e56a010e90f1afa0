import RallyDomain
import RallyWire
import TerminalKit

/// The actions of every tab.
struct GlobalActions: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @Environment(\.navigationService) private var navigationService
  @Environment(\.paletteState) private var paletteState
  @Environment(\.socialStore) private var socialStore
  @Environment(\.syncCoordinator) private var syncCoordinator
  @Environment(\.rallySession) private var rallySession
  @Environment(\.mapStore) private var mapStore
  @Environment(\.missionsStore) private var missionsStore
  @Environment(\.locationSharingStore) private var locationSharingStore
  @Environment(\.privacyRulesService) private var privacyRulesService
  @Environment(\.demoStatus) private var demoStatus
  @Environment(\.watchStore) private var watchStore

  var body: some View { content.actions(Self.all, in: self) }

  /// Returns to the sign-in screen if the demo was started there.
  private func leaveDemo() {
    if let demoStatus, demoStatus.returnsToSignIn { confirm(toLeave: demoStatus) }
  }

  private func confirm(toLeave demo: DemoStatus) {
    interface.question = Question(
      id: Action.signOut.id, title: "Leave the demo?", consequences: ["Nothing of it is kept."],
      verb: "Leave", safeVerb: "Stay", onConfirm: demo.leave)
  }

  private func back() {
    if !(interface.leaveTextOnly() || interface.dismissToast() || stepBack()) { leaveDemo() }
  }

  private func stepBack() -> Bool {
    interface.leaveTextOnly() || interface.dismissTop() || navigationService.pop()
  }

  /// Asks first while this terminal is the only feed of a link.
  private func leave() {
    if stepBack() { return }
    let fed = watchStore.links.filter { $0.address != nil }.map(\.record)
    guard let links = WatchText.sentence(fed, at: .now) else { return terminal.quit() }
    interface.question = Question(
      id: Action.leave.id, title: "Quit Rally?",
      consequences: [
        "This terminal feeds \(links).", "Quitting ends it: nothing is shown any more.",
      ], verb: "Quit", safeVerb: "Stay", onConfirm: { terminal.quit() })
  }

  private func showSharing() {
    let isOnMap = navigationService.selectedTab == .map
    interface.overlay = .sharing(isOnMap ? mapStore.selectedID : nil)
  }

  private func toggleGhost() {
    let store = locationSharingStore
    Task {
      let key = actions.table.way(to: Action.ghost.id)
      let outcome = await interface.act(
        "Hiding or coming back", except: "\(key) does it"
      ) { await store.toggleGhost() }
      switch outcome {
      case .done(nil) where store.isAllTurnedOff:
        interface.say(GhostService.withoutServer, kind: .success)
      case .done(nil):
        interface.say("You are back: \(store.sharingSentence).", kind: .success)
      case .done(.gone):
        interface.say(
          "You are a ghost. \(actions.table.way(to: Action.ghost.id)) comes back.", kind: .success)
      case .done(.pending), .refused, .invalid, .notStarted: break
      }
    }
  }

  private func goToAnything() {
    paletteState.palette = Palette(
      friends: socialStore.friends, friendsIndex: socialStore.friendsIndex,
      requests: socialStore.requestEntries, missions: missionsStore.knownMissions,
      actions: actions.available.filter { Self.isWorthFinding($0.action) }, finder: .world,
      recent: paletteState.recentPicks, isOnMap: { mapStore.position(of: $0) != nil })
    interface.overlay = .anything
  }

  /// Movement, and the actions that lead here, are left out of the palette.
  private static func isWorthFinding(_ action: Action) -> Bool {
    let isMovement =
      action.section == "Moving" || MapActions.panning.contains { $0.id == action.id }
    let isHere = [
      Action.goToAnything.id, Action.commandLine.id, Action.back.id, ProgramActions.cancel.id,
    ]
    return !isMovement && !isHere.contains(action.id)
  }

  private func toggleMouse() {
    let isOn = !MouseUse.isTaken(interface.isMouseWanted, tab: navigationService.selectedTab)
    interface.isMouseWanted = isOn
    interface.say(
      isOn
        ? "The mouse works here; Shift and drag selects text in most terminals."
        : "The terminal has the mouse again.")
  }

  private func signOut() {
    if let demoStatus { return confirm(toLeave: demoStatus) }
    interface.question = Question(
      id: Action.signOut.id, title: "Sign out?",
      consequences: ["The session and what was last seen are forgotten on this machine."]
        + (privacyRulesService.kept.own.isEmpty
          ? [] : ["Your zones and hours too: they are kept on this machine only."]),
      verb: "Sign out", safeVerb: "Stay"
    ) { Task { await rallySession?.signOut() } }
  }
}

extension GlobalActions {
  static let all: [FeatureAction<Self>] = [
    FeatureAction(.ghost, run: { $0.toggleGhost() }),
    FeatureAction(.precision, run: { $0.showSharing() }),
    FeatureAction(
      id: "phones", summary: "Add, see and revoke the phones that report where you are.", keys: [],
      section: "Everywhere", run: { $0.interface.overlay = .phones }),
    FeatureAction(
      id: "ssh-keys", summary: "Add, see and remove the SSH keys that come in as you.", keys: [],
      section: "Everywhere", run: { $0.interface.overlay = .sshKeys }),
    FeatureAction(
      id: "open-calendar", name: "calendar",
      summary: "Give calendar programs an address of your missions, or revoke it.",
      keys: ["g c"], section: "Everywhere", run: { $0.interface.overlay = .calendar }),
    FeatureAction(
      id: "alerts", summary: "See and remove the alerts about where friends are.",
      keys: [], section: "Everywhere", run: { $0.interface.overlay = .alerts }),
    FeatureAction(
      id: "zones",
      summary: "See and remove the zones and hours that hold your position back.",
      keys: [], section: "Everywhere", run: { $0.interface.overlay = .privacy }),
    FeatureAction(.refresh, run: { $0.syncCoordinator.syncOnRequest() }),
    FeatureAction(
      id: "tab.map", summary: "Go to the Map tab.", keys: ["1"], section: "Everywhere",
      run: { $0.navigationService.select(.map) }),
    FeatureAction(.tabMissions, run: { $0.navigationService.select(.missions) }),
    FeatureAction(.tabFriends, run: { $0.navigationService.select(.friends) }),
    FeatureAction(
      id: "tab.next", name: "next-tab", summary: "Go to the tab on the right.", keys: ["g t", "]"],
      section: "Everywhere", run: { $0.navigationService.selectNeighbour(by: 1) }),
    FeatureAction(
      id: "tab.previous", name: "previous-tab", summary: "Go to the tab on the left.",
      keys: ["g T", "["], section: "Everywhere",
      run: { $0.navigationService.selectNeighbour(by: -1) }),
    FeatureAction(.back, run: { $0.back() }),
    FeatureAction(.commandLine, run: { $0.interface.openCommandLine() }),
    FeatureAction(.leave, run: { $0.leave() }),
    FeatureAction(
      id: "mouse", summary: "Take the mouse or leave it to the terminal, which then selects text.",
      keys: ["m"], section: "Everywhere", run: { $0.toggleMouse() }),
    FeatureAction(.signOut, run: { $0.signOut() }),
    FeatureAction(
      id: "account.delete", name: "delete-account",
      summary: "Delete your account with everything of yours, for good.", keys: [],
      section: "Everywhere", shown: { $0.demoStatus == nil },
      run: { $0.interface.overlay = .deleteAccount }),
    FeatureAction(
      id: "profile.edit", name: "profile",
      summary: "Change your name and what others read about you.", keys: ["g p"],
      section: "Everywhere", run: { $0.interface.overlay = .profile }),
    FeatureAction(
      id: "settings", summary: "Set the mouse and the device's signals while the program runs.",
      keys: ["g s"], section: "Everywhere", run: { $0.interface.overlay = .settings }),
    FeatureAction(.goToAnything, run: { $0.goToAnything() }),
  ]
}

extension View {
  func globalActions() -> some View { GlobalActions(content: AnyView(self)) }
}

/// When the mouse is captured; the terminal cannot select text then.
enum MouseUse {
  /// - Parameter wanted: The setting; nil captures it on the map only.
  static func isTaken(_ wanted: Bool?, tab: RallyTab) -> Bool { wanted ?? (tab == .map) }
}
