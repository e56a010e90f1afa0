import RallyDomain
import TerminalKit

// Actions that several views handle, each in its own way, or that other screens name; all others are
// declared beside their one handler.

extension Action {
  static let leave = Action(
    id: "leave", title: "quit", summary: "One step back; at the top level quit.", keys: ["q"],
    section: "Everywhere", otherSections: ["Forms"])
  static let undo = Action(
    id: "undo", summary: "Undo the last act, within 30 seconds; says why where it cannot.",
    keys: ["u"],
    section: "Everywhere", footer: 450)
  static let redo = Action(
    id: "redo", summary: "Redo what was undone, within 30 seconds.", keys: ["^R"],
    section: "Everywhere")
  static let copy = Action(
    id: "copy", summary: "Copy what is selected: a link, a place, a username, a failure.",
    keys: ["y"], section: "Everywhere", footer: 430)
  static let refresh = Action(
    id: "refresh", summary: "Fetch again, and try the connection at once.", keys: ["r"],
    section: "Everywhere", footer: 530)

  static let ghost = Action(
    id: "ghost",
    summary: "Hide from everybody at once; again restores what was shared.",
    keys: ["!"], section: "Everywhere", footer: 440)
  static let precision = Action(
    id: "precision", summary: "Choose who sees where you are, and how precisely.", keys: ["p"],
    section: "Everywhere")
  static let tabMissions = Action(
    id: "tab.missions", summary: "Go to the Missions tab.", keys: ["2"], section: "Everywhere")
  static let tabFriends = Action(
    id: "tab.friends", summary: "Go to the Friends tab.", keys: ["3"], section: "Everywhere")
  static let commandLine = Action(
    id: "command-line", title: "cmd", summary: "Open the command line.", keys: [":"],
    section: "Everywhere")
  static let signOut = Action(
    id: "sign-out", summary: "Sign out and forget the session on this machine.", keys: [],
    section: "Everywhere")
  static let goToAnything = Action(
    id: "go-to-anything", name: "anything", title: "go to",
    summary: "Go to a person, a mission, a place or an action by a few letters of its name.",
    keys: ["^K", "^P"], section: "Everywhere")

  static let codes = Action(
    id: "invitations", title: "your codes",
    summary: "Show the codes that you can give to others, or make one.", keys: ["i"],
    section: "Friends", otherSections: ["Map"])
  static let open = Action(
    id: "open", summary: "Open what is selected.", keys: ["Enter"], section: "Lists")
  static let filter = Action(
    id: "filter", summary: "Filter the list as you type; Esc clears.", keys: ["/"],
    section: "Lists", footer: 370)
  static let sectionNext = Action(
    id: "section.next", name: "next-list", summary: "Show the next list.",
    keys: ["Tab", "l", "Right"], section: "Lists", footer: 390)
  static let sectionPrevious = Action(
    id: "section.previous", name: "previous-list", summary: "Show the list before.",
    keys: ["S-Tab", "h", "Left"], section: "Lists")

  static let fieldNext = Action(
    id: "field.next", name: "next-field", summary: "Go to the next field.", keys: ["Tab", "Down"],
    section: "Forms", footer: 65)
  static let fieldPrevious = Action(
    id: "field.previous", name: "previous-field", summary: "Go to the field before.",
    keys: ["S-Tab", "Up"], section: "Forms")
  static let otherForm = Action(
    id: "session.other", name: "other-form", title: "sign in or sign up",
    summary: "Change between signing in and creating an account.", keys: ["^N"], section: "Forms",
    footer: 490)
  static let showPassword = Action(
    id: "session.show-password", title: "show", summary: "Show or hide the password.", keys: ["^R"],
    section: "Forms", footer: 510)
  static let draftUndo = Action(
    id: "draft.undo", name: "undo-typing", title: "undo",
    summary: "Undo the last change of the form; ^R does it again.", keys: ["^_"], section: "Forms",
    footer: 560)
  static let choiceNext = Action(
    id: "choice.next", name: "next-choice", title: "change", summary: "Take the next choice.",
    keys: ["l", "Right", "Space"], section: "Forms", footer: 70)
  static let choicePrevious = Action(
    id: "choice.previous", name: "previous-choice", title: "change back",
    summary: "Take the choice before.", keys: ["h", "Left"], section: "Forms")

  static let shared: [Action] = [
    .undo, .redo, .copy, .refresh, .back, .leave, .open, .filter, .sectionNext, .sectionPrevious,
    .submit, .fieldNext, .fieldPrevious, .showPassword, .draftUndo, .choiceNext, .choicePrevious,
  ]
}

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

extension ProgramActions {
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
