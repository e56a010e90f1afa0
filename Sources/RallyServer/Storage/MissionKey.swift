import RallyWire

/// The key of a change of `missions`: which one, and through whom it changed where that matters.
struct MissionKey: Hashable, Sendable {
  let mission: String
  /// Whoever this person does not exist for is not told of the change; nil tells everybody who sees
  /// the mission.
  let person: String?

  init(mission: String, person: String?) {
    self.mission = mission
    self.person = person
  }

  init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    mission = parts.first ?? ""
    person = parts.count > 1 ? parts[1] : nil
  }

  var text: String { person.map { "\(mission) \($0)" } ?? mission }
}
