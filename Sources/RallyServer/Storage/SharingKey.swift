/// The key of a change of `location_sharing`: whose decision, and about whom.
struct SharingKey: Hashable, Sendable {
  let owner: String
  /// The owner for the default.
  let friend: String

  var text: String { "\(owner)/\(friend)" }

  init(owner: String, friend: String) {
    self.owner = owner
    self.friend = friend
  }

  /// nil for text that is none.
  init?(_ text: String) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(owner: parts[0], friend: parts[1])
  }
}
