import FoundationEssentials

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

/// What an event of `missions` embeds: the mission as its reader would fetch it now, with all who are
/// on the way to it.
public struct EmbeddedMission: Hashable, Sendable, Codable {
  public var mission: MissionRecord
  public var coming: [ComingRecord]

  public init(mission: MissionRecord, coming: [ComingRecord]) {
    self.mission = mission
    self.coming = coming
  }
}
