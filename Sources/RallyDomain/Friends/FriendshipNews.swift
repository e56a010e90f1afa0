import FoundationEssentials
import RallyClient
import RallyText
import RallyWire

/// What somebody is to me, as an event of our friendship says it.
public struct FriendshipNews: Hashable, Sendable {
  /// Who, and what they are to me.
  public let relation: EmbeddedRelation
  /// A friendship that is made anew has another id.
  public let friendshipID: UUID
  /// The row; nil once it is over.
  public let row: FriendshipRecord?

  init(relation: EmbeddedRelation, friendshipID: UUID, row: FriendshipRecord?) {
    self.relation = relation
    self.friendshipID = friendshipID
    self.row = row
  }

  /// - Returns: nil for an event that does not bring all of it.
  init?(_ change: ChangeEvent) {
    guard let relation = try? change.embedded?.decoded(as: EmbeddedRelation.self),
      let id = ((change.record ?? change.oldRecord)?["id"]?.string).flatMap(UUID.init(wireText:))
    else { return nil }
    let row = change.record.flatMap {
      try? JSONValue.object($0).decoded(as: FriendshipRecord.self)
    }
    let isOver = change.type == .delete
    guard isOver || row != nil && relation.profile != nil else { return nil }
    self.init(relation: relation, friendshipID: id, row: isOver ? nil : row)
  }

  var userID: UUID { relation.userID }

  /// The friend; nil unless we are friends.
  var friend: CommunityProfile? {
    guard relation.status == .friends, let profile = relation.profile, let row else { return nil }
    return CommunityProfile(
      FriendRecord(
        profile: profile, since: row.acceptedAt ?? row.createdAt, presence: .offline,
        lastSeen: relation.lastSeen))
  }

  /// The request; nil unless one is pending.
  var request: FriendRequestItem? {
    guard [.incoming, .outgoing].contains(relation.status), let profile = relation.profile,
      let row
    else { return nil }
    return FriendRequestItem(
      profile: CommunityProfile(
        DatedProfileRecord(profile: profile, createdAt: row.createdAt),
        friendshipStatus: relation.status),
      direction: relation.status == .incoming ? .incoming : .outgoing, createdAt: row.createdAt)
  }
}

/// Which friendship with each person is the newest that came, so that a late event brings
/// nothing back.
struct FriendshipVersions {
  private struct Known {
    var friendshipID: UUID
    var version: Int64
    /// Of the profile: another name is news of the same row.
    var profileVersion: Int64
  }

  private var known: [UUID: Known] = [:]
  /// Friendships that are over: no event brings one back.
  private var ended: Set<UUID> = []

  /// - Returns: Whether it is not older than what came before.
  mutating func take(_ news: FriendshipNews) -> Bool {
    // An event that is so late is not worth more memory.
    if max(known.count, ended.count) >= Pages.mostRows { (known, ended) = ([:], []) }
    guard let row = news.row else {
      ended.insert(news.friendshipID)
      // A new friendship may have come before the end of the former one.
      if let known = known[news.userID], known.friendshipID != news.friendshipID { return false }
      known[news.userID] = nil
      return true
    }
    guard !ended.contains(news.friendshipID) else { return false }
    let new = Known(
      friendshipID: news.friendshipID, version: row.version,
      profileVersion: news.relation.profile?.version ?? 0)
    if let known = known[news.userID], known.friendshipID == news.friendshipID,
      (known.version, known.profileVersion) > (new.version, new.profileVersion)
    {
      return false
    }
    known[news.userID] = new
    return true
  }
}

/// The friends, for stores that need to see who becomes one, is none any more, or has another name.
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
