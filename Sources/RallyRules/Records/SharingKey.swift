/// The key of a change of `location_sharing`: the owner and the friend.
package struct SharingKey: Hashable, Sendable {
  package let owner: String
  /// The owner's id for the default.
  package let friend: String

  var text: String { "\(owner)/\(friend)" }
}

extension SharingKey {
  package init?(_ text: String) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(owner: parts[0], friend: parts[1])
  }
}
