import FoundationEssentials

/// Who the friends are, for stores that fetch anew when somebody becomes one or is none any more.
struct FriendIDs {
  private var ids: [UUID]?

  /// Who became a friend, and who is none any more.
  struct Changes {
    var added: [CommunityProfile]
    var removed: Set<UUID>
  }

  /// - Returns: Whether other people are friends than before; false for the first list.
  mutating func update(to friends: [CommunityProfile]) -> Bool { changes(to: friends) != nil }

  /// - Returns: nil where the same people are friends as before, and for the first list.
  mutating func changes(to friends: [CommunityProfile]) -> Changes? {
    let new = friends.indices.map { friends[$0].id }
    defer { ids = new }
    // Sets would take most of the time of a start with thousands of friends.
    guard let ids, ids != new else { return nil }
    let (before, after) = (Set(ids), Set(new))
    guard before != after else { return nil }
    return Changes(
      added: friends.filter { !before.contains($0.id) }, removed: before.subtracting(after))
  }
}
