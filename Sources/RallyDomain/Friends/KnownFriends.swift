import FoundationEssentials

/// The friends, for stores that have to know who becomes one, is none any more, or has another name.
struct KnownFriends {
  private var friends: [CommunityProfile]?

  struct Changes {
    var added: [CommunityProfile] = []
    var removed: Set<UUID> = []
    /// Those who have another name than before.
    var renamed: [CommunityProfile] = []

    /// Whether other people are friends than before.
    var isOfPeople: Bool { !added.isEmpty || !removed.isEmpty }
  }

  /// Whether a list was taken.
  var isKnown: Bool { friends != nil }

  /// Who is in only one of the two lists; nobody before the first list.
  func difference(from others: some Sequence<UUID>) -> Set<UUID> {
    friends.map { Set($0.lazy.map(\.id)).symmetricDifference(others) } ?? []
  }

  /// - Returns: nil where the same people are friends by the same names, and for the first list.
  mutating func changes(to new: [CommunityProfile]) -> Changes? {
    defer { friends = new }
    guard let old = friends else { return nil }
    let (before, after) = new.change(from: old) {
      old[$0].id == new[$1].id && old[$0].displayName == new[$1].displayName
        && old[$0].username == new[$1].username
    }
    if before.isEmpty, after.isEmpty { return nil }
    var known: [UUID: CommunityProfile] = [:]
    for index in before { known[old[index].id] = old[index] }
    var changes = Changes()
    for index in after {
      let friend = new[index]
      guard let former = known.removeValue(forKey: friend.id) else {
        changes.added.append(friend)
        continue
      }
      if !Self.hasSameName(former, friend) { changes.renamed.append(friend) }
    }
    changes.removed = Set(known.keys)
    return changes.isOfPeople || !changes.renamed.isEmpty ? changes : nil
  }

  private static func hasSameName(_ a: CommunityProfile, _ b: CommunityProfile) -> Bool {
    a.displayName == b.displayName && a.username == b.username
  }
}
