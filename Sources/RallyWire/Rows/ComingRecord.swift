import FoundationEssentials

/// A row of `fetch_coming`: a member who is on the way to a mission, or arrived.
public struct ComingRecord: Hashable, Sendable, Codable {
  public var missionID: UUID
  public var userID: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  public var beganAt: WireTime
  /// When it ends at the latest; nil once they arrived.
  public var until: WireTime?
  /// When they were first reported within the mission's radius.
  public var arrivedAt: WireTime?
  /// The members who see it, in the caller's own row; empty in others'.
  public var readers: [MissionMemberRecord]
  /// Their position as the caller may see it at this moment; nil for nothing.
  public var location: LocationRecord?

  public init(
    missionID: UUID, userID: UUID, username: String, displayName: String, beganAt: WireTime,
    until: WireTime?, arrivedAt: WireTime? = nil, readers: [MissionMemberRecord] = [],
    location: LocationRecord? = nil
  ) {
    self.missionID = missionID
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.beganAt = beganAt
    self.until = until
    self.arrivedAt = arrivedAt
    self.readers = readers
    self.location = location
  }

  /// Whether they are still coming, and have not arrived.
  public func isOnTheWay(at now: WireTime) -> Bool { until.map { $0 > now } ?? false }

  enum CodingKeys: String, CodingKey {
    case username, until, readers, location
    case missionID = "mission_id"
    case userID = "user_id"
    case displayName = "display_name"
    case beganAt = "began_at"
    case arrivedAt = "arrived_at"
  }
}
