/// Actions that lists, modals and text fields handle by default.
extension ActionID {
  public static let moveDown: ActionID = "move-down"
  public static let moveUp: ActionID = "move-up"
  public static let moveFirst: ActionID = "first"
  public static let moveLast: ActionID = "last"
  public static let halfPageDown: ActionID = "half-page-down"
  public static let halfPageUp: ActionID = "half-page-up"
  public static let pageDown: ActionID = "page-down"
  public static let pageUp: ActionID = "page-up"
  /// Moves to new rows above the visible ones.
  public static let moveToNew: ActionID = "to-new"
  /// Goes back one step; closes a modal.
  public static let back: ActionID = "back"
  /// Submits a text field.
  public static let submit: ActionID = "submit"
}

extension Action {
  /// List movement, for an application's action table.
  public static let movement: [Action] = [
    Action(
      id: .moveDown, title: "down", summary: "Select the next row.", keys: ["j", "down"],
      section: "Moving"),
    Action(
      id: .moveUp, title: "up", summary: "Select the row before.", keys: ["k", "up"],
      section: "Moving"),
    Action(
      id: .moveFirst, title: "first", summary: "Select the first row.", keys: ["g g", "Home"],
      section: "Moving"),
    Action(
      id: .moveLast, title: "last", summary: "Select the last row.", keys: ["G", "End"],
      section: "Moving"),
    Action(
      id: .halfPageDown, title: "half down", summary: "Move half a page down.", keys: ["^D"],
      section: "Moving"),
    Action(
      id: .halfPageUp, title: "half up", summary: "Move half a page up.", keys: ["^U"],
      section: "Moving"),
    Action(
      id: .pageDown, title: "page down", summary: "Move a page down.", keys: ["PgDn"],
      section: "Moving"),
    Action(
      id: .pageUp, title: "page up", summary: "Move a page up.", keys: ["PgUp"],
      section: "Moving"),
    Action(
      id: .moveToNew, title: "new rows",
      summary: "Select the nearest row above that is new, or the first one.", keys: ["g n"],
      section: "Moving"),
  ]
}
