import FoundationEssentials

/// Who the friends are, for stores that fetch anew when somebody becomes one or is none any more.
struct FriendIDs {
  private var ids: [UUID]?

  /// - Returns: Whether other people are friends than before; false for the first list.
  mutating func update(to friends: [CommunityProfile]) -> Bool {
    let new = friends.indices.map { friends[$0].id }
    defer { ids = new }
    // Sets would take most of the time of a start with thousands of friends.
    guard let ids, ids != new else { return false }
    return Set(ids) != Set(new)
  }
}
