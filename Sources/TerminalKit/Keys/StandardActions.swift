// Actions that modals and text fields handle by themselves; those of lists are `ListActions`.

extension Action {
  /// Goes back one step; closes a modal.
  public static let back = Action(
    id: "back", summary: "One step back; never quits.", keys: ["Esc"], section: "Everywhere",
    otherSections: ["Forms"], footer: 540)

  /// Submits a text field.
  public static let submit = Action(
    id: "submit", title: "go on", summary: "Send the form, or go to the field that is wrong.",
    keys: ["Enter"], section: "Forms", footer: 20)

  /// List movement, for an application's action table.
  public static let movement = ListActions.all.map(\.action)
}
