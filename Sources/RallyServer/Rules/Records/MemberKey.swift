import RallyWire

/// The key of a change of `mission_members`: the row, and the membership before and after.
struct MemberKey: Hashable, Sendable {
  let mission: String
  let user: String
  let before: MissionMembership?
  let after: MissionMembership?

  var text: String {
    [mission, user, before?.rawValue ?? "", after?.rawValue ?? ""].joined(separator: "/")
  }
}

extension MemberKey {
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 4 else { return nil }
    self.init(
      mission: parts[0], user: parts[1], before: MissionMembership(rawValue: parts[2]),
      after: MissionMembership(rawValue: parts[3]))
  }
}
