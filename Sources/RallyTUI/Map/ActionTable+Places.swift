import TerminalKit

extension ActionTable {
  /// Whether keys can reach both of them on one screen, so that they must not share one.
  ///
  /// Two that share a key as they come are told apart by what is selected, or by the place.
  func canMeet(_ one: Action, _ other: Action) -> Bool {
    guard one.id != other.id else { return false }
    let former = Set(keys(for: one.id))
    if keys(for: other.id).contains(where: former.contains) { return false }
    return Self.canMeet(one, in: other.section) || Self.canMeet(other, in: one.section)
  }

  /// Sections whose acts are never reached together with those of any other tab or sheet.
  private static let apart: Set<String> = ["Map", "Forms"]
  /// Sections whose acts go with those of every list.
  private static let common: Set<String> = ["Lists", "Moving"]
  /// What is also done in places of another section than its own.
  private static let guests: [ActionID: Set<String>] = [.missionsCompose: ["Map"]]
  /// What works in forms and over questions too.
  private static let throughout: Set<ActionID> = [
    .back, .cancel, .help, .leave, .quit, .repaint, .suspend,
  ]

  private static func canMeet(_ action: Action, in section: String) -> Bool {
    if action.section == section || guests[action.id]?.contains(section) == true { return true }
    if action.section == "Everywhere" {
      return section != "Forms" || throughout.contains(action.id)
    }
    if apart.contains(section) || apart.contains(action.section) { return false }
    return common.contains(section) || common.contains(action.section)
  }
}
