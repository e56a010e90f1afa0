import TerminalKit

extension ActionID {
  static let editProfile = ActionID("profile.edit")
  static let settings = ActionID("settings")

  static let draftSend = ActionID("draft.send")
  static let draftUndo = ActionID("draft.undo")
  static let editText = ActionID("text.edit")
  static let draftClear = ActionID("draft.clear")
  static let choiceNext = ActionID("choice.next")
  static let choicePrevious = ActionID("choice.previous")
  static let objectiveAdd = ActionID("objective.add")
  static let objectiveRemove = ActionID("objective.remove")
  static let objectiveUp = ActionID("objective.up")
  static let objectiveDown = ActionID("objective.down")
}

extension ActionTable {
  /// The acts of forms that are kept while they are not finished.
  static let drafts: [Action] = [
    Action(
      id: .editProfile, name: "profile", title: "profile",
      summary: "Change your name and what others read about you.", keys: ["g p"],
      section: "Everywhere"),
    Action(
      id: .settings, title: "settings",
      summary: "Set the mouse and the device's signals while the program runs.", keys: ["g s"],
      section: "Everywhere"),
    Action(
      id: .draftSend, name: "send", title: "send", summary: "Send the form from any field.",
      keys: ["^O"], section: "Forms"),
    Action(
      id: .editText, name: "edit-text", title: "editor",
      summary: "Write the long text of the form in your editor: $VISUAL, $EDITOR or vi.",
      keys: ["^G", "e"], section: "Forms"),
    Action(
      id: .draftUndo, name: "undo-typing", title: "undo",
      summary: "Undo the last change of the form; ^R does it again.", keys: ["^_"],
      section: "Forms"),
    Action(
      id: .draftClear, name: "clear", title: "clear",
      summary: "Begin the form anew; undo brings back what was there.", keys: ["^T"],
      section: "Forms"),
    Action(
      id: .choiceNext, name: "next-choice", title: "change", summary: "Take the next choice.",
      keys: ["l", "Right", "Space"], section: "Forms"),
    Action(
      id: .choicePrevious, name: "previous-choice", title: "change back",
      summary: "Take the choice before.", keys: ["h", "Left"], section: "Forms"),
    Action(
      id: .objectiveAdd, name: "add-objective", title: "add",
      summary: "Add something to do to the mission.", keys: ["^N"], section: "Forms"),
    Action(
      id: .objectiveRemove, name: "remove-objective", title: "remove",
      summary: "Take the objective out; undo brings it back.", keys: ["^X"], section: "Forms"),
    Action(
      id: .objectiveUp, name: "objective-up", title: "earlier",
      summary: "Move the objective up.", keys: ["PgUp"], section: "Forms"),
    Action(
      id: .objectiveDown, name: "objective-down", title: "later",
      summary: "Move the objective down.", keys: ["PgDn"], section: "Forms"),
  ]
}
