import FoundationEssentials
import RallyCommand
import RallyDomain
import RallyWire

// The rows that the friends verbs print with `--json`. Scripts build on these names: nothing is
// renamed or left out, and what is unknown is null.

struct FriendRow: JSONRow {
  let friend: CommunityProfile

  init(_ friend: CommunityProfile) { self.friend = friend }

  var members: [String: (any Encodable)?] {
    [
      "id": friend.id.wireText,
      "username": friend.username,
      "display_name": friend.displayName,
      "since": friend.since,
      "presence": friend.presence ?? Presence.offline,
      "last_seen": friend.lastSeen,
    ]
  }
}

struct RequestRow: Encodable {
  var direction: RequestDirection
  var id: UUID
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
  var id: UUID
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
  var id: UUID
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
struct LocationAskRow: JSONRow {
  let ask: LocationAskRecord

  init(_ ask: LocationAskRecord) { self.ask = ask }

  var members: [String: (any Encodable)?] {
    [
      "direction": ask.direction,
      "id": ask.userID.wireText,
      "username": ask.username,
      "display_name": ask.displayName,
      "asked_at": ask.askedAt,
      "expires_at": ask.askedAt.advanced(by: LocationAskRecord.lifetime),
    ]
  }
}
