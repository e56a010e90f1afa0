import RallyDomain
import TerminalKit

/// The actions of the program itself, which are also available while signed out.
struct ProgramActions: View {
  let content: AnyView

  @Environment(\.actions) private var actions
  @Environment(\.capabilities) private var capabilities
  @Environment(\.interface) private var interface
  @Environment(\.terminal) private var terminal
  @State private var isLeaving = false

  var body: some View {
    content
      .actions(Self.all, in: self)
      .failureCopying()
      .onDisabledAction { _, reason in interface.say(reason, kind: .warning) }
      .onNotice { interface.say($0, kind: .warning) }
  }

  private func showHelp() {
    interface.helpActions = actions.available
    interface.overlay = .help
  }

  /// The first press closes what is on top; a second one in a row quits.
  private func cancelTop() {
    if interface.dismissTop() {
      isLeaving = false
    } else if isLeaving {
      terminal.quit()
    } else {
      isLeaving = true
      interface.say("Press \(actions.table.way(to: Self.cancel.id)) once more to quit.")
    }
  }
}

nonisolated extension ProgramActions {
  static let help = FeatureAction<Self>(
    id: "help", summary: "Show the keys of this screen.", keys: ["?", "F1"], section: "Everywhere",
    otherSections: ["Forms"], run: { $0.showHelp() })
  static let bare = FeatureAction<Self>(
    id: "bare", title: "bare text",
    summary: "Show this as bare text that the terminal can select; again comes back.", keys: ["b"],
    section: "Everywhere", isGlobal: true, run: { $0.interface.isTextOnly.toggle() })
  static let messages = FeatureAction<Self>(
    id: "messages", summary: "Show all messages.", keys: ["g m"], section: "Everywhere",
    run: { $0.interface.overlay = .messages })
  static let quit = FeatureAction<Self>(
    id: "quit", summary: "Quit at once.", keys: ["Z Z"], section: "Everywhere",
    otherSections: ["Forms"], run: { $0.terminal.quit() })
  static let cancel = FeatureAction<Self>(
    id: "cancel", summary: "Cancel; pressed twice it quits.", keys: ["^C"], section: "Everywhere",
    otherSections: ["Forms"], isGlobal: true, run: { $0.cancelTop() })

  static let all: [FeatureAction<Self>] = [
    bare, help, messages,
    FeatureAction(
      id: "log", summary: "Show the last lines of the log as they are written.", keys: ["g l"],
      section: "Everywhere", run: { $0.interface.overlay = .log }),
    FeatureAction(
      id: "repaint", summary: "Redraw the whole screen.", keys: ["^L"], section: "Everywhere",
      otherSections: ["Forms"], isGlobal: true, run: { $0.terminal.repaint() }),
    FeatureAction(
      id: "suspend", summary: "Stop and go back to the shell; fg returns.", keys: ["^Z"],
      section: "Everywhere", otherSections: ["Forms"], isGlobal: true,
      shown: { $0.capabilities.contains(.suspension) }, run: { $0.terminal.suspend() }),
    cancel, quit,
  ]
}

extension View {
  func programActions() -> some View { ProgramActions(content: AnyView(self)) }
}
