import FoundationEssentials
import RallyDomain
import RallyWire

// The rows that the friends verbs print with `--json`. Scripts build on these names: nothing is
// renamed or left out, and what is unknown is null.

struct FriendRow: Encodable {
  let friend: CommunityProfile

  init(_ friend: CommunityProfile) { self.friend = friend }

  enum CodingKeys: String, CodingKey {
    case id, username, since, presence
    case displayName = "display_name"
    case lastSeen = "last_seen"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(friend.id.wireText, forKey: .id)
    try container.encode(friend.username, forKey: .username)
    try container.encode(friend.displayName, forKey: .displayName)
    try container.encode(friend.since, forKey: .since)
    try container.encode(friend.presence ?? .offline, forKey: .presence)
    try container.encode(friend.lastSeen, forKey: .lastSeen)
  }
}

struct RequestRow: Encodable {
  var direction: RequestDirection
  @WireID var id: UUID
  var username: String
  var displayName: String
  var createdAt: WireTime

  init(_ item: FriendRequestItem) {
    direction = item.direction
    id = item.id
    username = item.profile.username
    displayName = item.profile.displayName
    createdAt = item.createdAt
  }

  enum CodingKeys: String, CodingKey {
    case direction, id, username
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

struct PersonRow: Encodable {
  @WireID var id: UUID
  var username: String
  var displayName: String
  var friendshipStatus: FriendshipStatus

  init(_ person: CommunityProfile) {
    id = person.id
    username = person.username
    displayName = person.displayName
    friendshipStatus = person.friendshipStatus ?? .none
  }

  enum CodingKeys: String, CodingKey {
    case id, username
    case displayName = "display_name"
    case friendshipStatus = "friendship_status"
  }
}

struct BlockedRow: Encodable {
  @WireID var id: UUID
  var username: String
  var displayName: String
  var createdAt: WireTime?

  init(_ person: CommunityProfile) {
    id = person.id
    username = person.username
    displayName = person.displayName
    createdAt = person.since
  }

  enum CodingKeys: String, CodingKey {
    case id, username
    case displayName = "display_name"
    case createdAt = "created_at"
  }
}

/// A question where somebody is.
struct LocationAskRow: Encodable {
  let ask: LocationAskRecord

  init(_ ask: LocationAskRecord) { self.ask = ask }

  enum CodingKeys: String, CodingKey {
    case direction, id, username
    case displayName = "display_name"
    case askedAt = "asked_at"
    case expiresAt = "expires_at"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(ask.direction, forKey: .direction)
    try container.encode(ask.userID.wireText, forKey: .id)
    try container.encode(ask.username, forKey: .username)
    try container.encode(ask.displayName, forKey: .displayName)
    try container.encode(ask.askedAt, forKey: .askedAt)
    try container.encode(
      ask.askedAt.advanced(by: LocationAskRecord.lifetime), forKey: .expiresAt)
  }
}
