import RallyWire

/// The key of a change of `missions`: the mission, and optionally the user who caused the change.
package struct MissionKey: Hashable, Sendable {
  package let mission: String
  /// Readers from whom this user is hidden do not receive the change; nil for all readers.
  package let person: String?

  var text: String { person.map { "\(mission) \($0)" } ?? mission }
}

extension MissionKey {
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    mission = parts.first ?? ""
    person = parts.count > 1 ? parts[1] : nil
  }
}
