import FoundationEssentials
import RallyText
import RallyWire

/// A user's profile; its text was cleaned when the row was decoded.
public struct CommunityProfile: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  /// When the profile was created; nil if the row does not contain it.
  public var joinedAt: WireTime?
  /// When we became friends, or when I blocked them.
  public var since: WireTime?
  /// Nil for people who are not friends.
  public var presence: Presence?
  /// When a friend's last connection ended; nil for one who never connected.
  public var lastSeen: WireTime?
  /// My relationship to the user, if the row includes it (people search).
  public var friendshipStatus: FriendshipStatus?

  public init(
    id: UUID, username: String, displayName: String, bio: String = "",
    joinedAt: WireTime? = nil, since: WireTime? = nil, presence: Presence? = nil,
    lastSeen: WireTime? = nil, friendshipStatus: FriendshipStatus? = nil
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.joinedAt = joinedAt
    self.since = since
    self.presence = presence
    self.lastSeen = lastSeen
    self.friendshipStatus = friendshipStatus
  }

  /// `@ana`
  public var handle: String { "@\(username)" }

  public var isOnline: Bool { presence == .online }

  /// The fields that are searched for a name.
  public static var searchedFields: [(CommunityProfile) -> String] {
    [\.displayName, \.handle]
  }

  /// Whether the display name or the username contains the text, ignoring case and accents.
  public func matches(_ query: String) -> Bool {
    var needle = query.trimmed
    if needle.hasPrefix("@") { needle.removeFirst() }
    guard !needle.isEmpty else { return true }
    return [username, displayName].contains { $0.foldedContains(needle) }
  }
}

extension CommunityProfile {
  init(_ row: ProfileRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt)
  }

  init(_ row: FriendRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt, since: row.since, presence: row.presence, lastSeen: row.lastSeen,
      friendshipStatus: .friends)
  }

  init(_ row: PersonRecord) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      joinedAt: row.createdAt, friendshipStatus: row.friendshipStatus)
  }

  /// A row of a dated list; `since` is the time of the row.
  init(_ row: DatedProfileRecord, friendshipStatus: FriendshipStatus) {
    self.init(
      id: row.id, username: row.username, displayName: row.displayName, bio: row.bio,
      since: row.createdAt, friendshipStatus: friendshipStatus)
  }
}

/// A pending friend request with the other person's profile.
public struct FriendRequestItem: Hashable, Sendable, Codable, Identifiable {
  public var profile: CommunityProfile
  public var direction: RequestDirection
  public var createdAt: WireTime

  /// The other person's id: there is one pending request per pair.
  public var id: UUID { profile.id }

  public init(profile: CommunityProfile, direction: RequestDirection, createdAt: WireTime) {
    self.profile = profile
    self.direction = direction
    self.createdAt = createdAt
  }
}

/// What the user can do with a pending request.
public enum FriendRequestResponseAction: String, Hashable, Sendable, CaseIterable {
  case accept, decline
  /// Withdraws one's own request.
  case cancel
}

extension FriendshipStatus {
  /// What is said of somebody who asked me, after their name or beside it.
  public static let asksForFriendship = "wants to be friends"
}
