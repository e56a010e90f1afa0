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

  /// Whether a list was taken.
  var isKnown: Bool { ids != nil }

  /// Who is in only one of the two lists; nobody before the first list.
  func difference(from others: some Sequence<UUID>) -> Set<UUID> {
    ids.map { Set($0).symmetricDifference(others) } ?? []
  }

  /// - Returns: nil where the same people are friends as before, and for the first list.
  mutating func changes(to friends: [CommunityProfile]) -> Changes? {
    let new = friends.indices.map { friends[$0].id }
    defer { ids = new }
    // Sets of all would take most of the time of a start with thousands of friends.
    guard let ids, ids != new else { return nil }
    // Nor after a change: it is in the middle, between what both begin and end with.
    let start = zip(ids, new).prefix { $0 == $1 }.count
    let rest = min(ids.count, new.count) - start
    let end = zip(ids.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    let before = Set(ids[start..<ids.count - end])
    let changed = start..<new.count - end
    let added = changed.filter { !before.contains(new[$0]) }.map { friends[$0] }
    let removed = before.subtracting(new[changed])
    return added.isEmpty && removed.isEmpty ? nil : Changes(added: added, removed: removed)
  }
}
