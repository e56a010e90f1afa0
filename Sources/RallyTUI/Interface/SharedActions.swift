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
