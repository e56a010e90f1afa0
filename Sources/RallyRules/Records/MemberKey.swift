import RallyWire

/// The key of a change of `mission_members`: the row, and the membership before and after.
package struct MemberKey: Hashable, Sendable {
  package let mission: String
  package let user: String
  package let before: MissionMembership?
  package let after: MissionMembership?

  var text: String {
    [mission, user, before?.rawValue ?? "", after?.rawValue ?? ""].joined(separator: "/")
  }
}

extension MemberKey {
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4 else { return nil }
    self.init(
      mission: parts[0], user: parts[1], before: MissionMembership(rawValue: parts[2]),
      after: MissionMembership(rawValue: parts[3]))
  }
}
