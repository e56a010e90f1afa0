extension ActionID {
  static let composeMission = ActionID("mission.compose")
}

extension ActionTable {
  /// The acts of forms that are kept while they are not finished.
  static let drafts: [Action] = [
    Action(
      id: .composeMission, name: "compose", title: "new",
      summary: "Write a new mission; one that was begun is found again.", keys: ["c"],
      section: "Missions")
  ]
}
