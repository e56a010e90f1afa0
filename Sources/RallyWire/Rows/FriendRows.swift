import FoundationEssentials

/// A person as others see them.
public struct ProfileRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  /// Grows by one with every change of the row.
  public var version: Int64
  public var createdAt: WireTime

  public init(
    id: UUID, username: String, displayName: String, bio: String, version: Int64,
    createdAt: WireTime
  ) {
    self.id = id
    self.username = username
    self.displayName = displayName
    self.bio = bio
    self.version = version
    self.createdAt = createdAt
  }

  enum CodingKeys: String, CodingKey {
    case id, username, bio, version
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

/// Whether a friend has a live connection now.
public enum Presence: String, Hashable, Sendable, Codable {
  case online, offline
}

/// The relation of two people, as seen by the caller.
public enum FriendshipStatus: String, Hashable, Sendable, Codable {
  case none, outgoing, incoming, friends, blocked
}

/// Which side of a request the caller is on.
public enum RequestDirection: String, Hashable, Sendable, Codable, CaseIterable {
  case incoming, outgoing
}

/// A row of `fetch_friends`.
public struct FriendRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  public var version: Int64
  public var createdAt: WireTime
  /// When the friendship was accepted.
  public var since: WireTime
  public var presence: Presence
  /// When the person's last connection ended; nil for one who never connected.
  public var lastSeen: WireTime?

  public init(profile: ProfileRecord, since: WireTime, presence: Presence, lastSeen: WireTime?) {
    id = profile.id
    username = profile.username
    displayName = profile.displayName
    bio = profile.bio
    version = profile.version
    createdAt = profile.createdAt
    self.since = since
    self.presence = presence
    self.lastSeen = lastSeen
  }

  enum CodingKeys: String, CodingKey {
    case id, username, bio, version, since, presence
    case displayName = "display_name"
    case createdAt = "created_at"
    case lastSeen = "last_seen"
  }
}

/// A row of `search_people`.
public struct PersonRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  public var version: Int64
  public var createdAt: WireTime
  public var friendshipStatus: FriendshipStatus

  public init(profile: ProfileRecord, friendshipStatus: FriendshipStatus) {
    id = profile.id
    username = profile.username
    displayName = profile.displayName
    bio = profile.bio
    version = profile.version
    createdAt = profile.createdAt
    self.friendshipStatus = friendshipStatus
  }

  enum CodingKeys: String, CodingKey {
    case id, username, bio, version
    case displayName = "display_name"
    case createdAt = "created_at"
    case friendshipStatus = "friendship_status"
  }
}

/// A row of `fetch_friend_requests` and of `fetch_blocked_users`: a person and since when.
public struct DatedProfileRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  @WireText<BioText> public var bio: String
  public var version: Int64
  /// When the request was made, or the person blocked.
  public var createdAt: WireTime

  public init(profile: ProfileRecord, createdAt: WireTime) {
    id = profile.id
    username = profile.username
    displayName = profile.displayName
    bio = profile.bio
    version = profile.version
    self.createdAt = createdAt
  }

  enum CodingKeys: String, CodingKey {
    case id, username, bio, version
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

/// The row of the realtime table `friendships`: one per pair of people.
public struct FriendshipRecord: Hashable, Sendable, Codable, Identifiable {
  public enum Status: String, Hashable, Sendable, Codable {
    case pending, accepted
  }

  public static let table = "friendships"

  public var id: UUID
  /// Who asked.
  public var requesterID: UUID
  public var addresseeID: UUID
  public var status: Status
  public var createdAt: WireTime
  /// When the addressee accepted; nil while pending.
  public var acceptedAt: WireTime?
  public var version: Int64

  public init(
    id: UUID, requesterID: UUID, addresseeID: UUID, status: Status, createdAt: WireTime,
    acceptedAt: WireTime?, version: Int64
  ) {
    self.id = id
    self.requesterID = requesterID
    self.addresseeID = addresseeID
    self.status = status
    self.createdAt = createdAt
    self.acceptedAt = acceptedAt
    self.version = version
  }

  enum CodingKeys: String, CodingKey {
    case id, status, version
    case requesterID = "requester_id"
    case addresseeID = "addressee_id"
    case createdAt = "created_at"
    case acceptedAt = "accepted_at"
  }
}

/// What an event of `friendships` embeds: who the other one is, and what they are to the reader now.
/// It is also sent when only the other one's profile changed.
public struct EmbeddedRelation: Hashable, Sendable, Codable {
  public var userID: UUID
  /// `outgoing`, `incoming` or `friends`; `none` once it is over.
  public var status: FriendshipStatus
  /// Nil once it is over.
  public var profile: ProfileRecord?
  /// When a friend's last connection ended; nil for one who never connected.
  public var lastSeen: WireTime?

  public init(
    userID: UUID, status: FriendshipStatus, profile: ProfileRecord? = nil,
    lastSeen: WireTime? = nil
  ) {
    self.userID = userID
    self.status = status
    self.profile = profile
    self.lastSeen = lastSeen
  }

  enum CodingKeys: String, CodingKey {
    case status, profile
    case userID = "user_id"
    case lastSeen = "last_seen"
  }
}
