import RallyWire

/// The key of a change of `missions`: the mission, and optionally the user who caused the change.
struct MissionKey: Hashable, Sendable {
  let mission: String
  /// Readers from whom this user is hidden do not receive the change; nil for all readers.
  let person: String?

  var text: String { person.map { "\(mission) \($0)" } ?? mission }
}

extension MissionKey {
  init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    mission = parts.first ?? ""
    person = parts.count > 1 ? parts[1] : nil
  }
}
