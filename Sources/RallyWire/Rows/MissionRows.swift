import FoundationEssentials

/// A person's membership in a mission.
public enum MissionMembership: String, Hashable, Sendable, Codable {
  /// Invited by a member; not accepted yet.
  case invited
  case joined
  /// Left or declined; may join again.
  case left
}

/// A row of `fetch_missions`: a mission as the reader may see it.
public struct MissionRecord: Hashable, Sendable, Codable, Identifiable, HasMissionFields {
  public static let table = "missions"

  public var id: UUID
  /// Nil if the reader and the creator are hidden from each other.
  public var creatorID: UUID?
  /// In JSON they stand beside the rest.
  public var fields: MissionFields
  public var state = MissionState.open
  public var createdAt: WireTime
  /// When it was completed or cancelled; also nil if the person who completed it is hidden from the
  /// reader.
  public var closedAt: WireTime?
  /// Grows with every change of the mission's own fields and of what its objectives ask for;
  /// members and check-ins do not change it.
  public var version: Int64
  /// In the order that the creator gave them.
  public var objectives: [ObjectiveRecord]
  /// The members, first the creator, then by the time of joining; after them, for members only, the
  /// invited people. People who are hidden from the reader are left out.
  public var members: [MissionMemberRecord]
  /// How many of `members` have joined.
  public var memberCount: Int
  /// Whether the capacity is reached, counting people who are left out of `members`.
  public var isFull: Bool
  /// The reader's own membership; nil for none.
  public var myState: MissionMembership?

  /// An open mission that is as full as its members say.
  public init(
    id: UUID, creatorID: UUID?, fields: MissionFields, createdAt: WireTime, version: Int64 = 1,
    objectives: [ObjectiveRecord] = [], members: [MissionMemberRecord] = [],
    memberCount: Int? = nil
  ) {
    self.id = id
    self.creatorID = creatorID
    self.fields = fields
    self.createdAt = createdAt
    self.version = version
    self.objectives = objectives
    self.members = members
    let count = memberCount ?? members.count { $0.state == .joined }
    self.memberCount = count
    isFull = fields.capacity.map { count >= $0 } ?? false
  }

  public func phase(at time: WireTime) -> MissionPhase {
    MissionPhase(state: state, startsAt: startsAt, endsAt: endsAt, at: time)
  }

  /// The check-ins made and the check-ins needed, over all objectives.
  public var progress: (done: Int, of: Int) {
    objectives.reduce((0, 0)) { ($0.0 + min($1.checkIns, $1.count), $0.1 + $1.count) }
  }

  /// The place of an objective and its radius in metres: its own, or the mission's.
  public func place(of objective: ObjectiveRecord) -> (centre: Coordinate, radiusMetres: Double)? {
    guard let centre = objective.ownPlace ?? centre else { return nil }
    let own = objective.ownPlace == nil ? nil : objective.radiusMetres
    return (centre, own ?? radiusMetres)
  }

  /// The centre; nil when the numbers name no place.
  public var centre: Coordinate? { fields.centre }

  /// The names of all its members in JSON, also of those that may be missing.
  public static var names: [String] {
    MissionFields.CodingKeys.allCases.map(\.stringValue) + CodingKeys.allCases.map(\.stringValue)
  }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, state, version, objectives, members
    case creatorID = "creator_id"
    case createdAt = "created_at"
    case closedAt = "closed_at"
    case memberCount = "member_count"
    case isFull = "is_full"
    case myState = "my_state"
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(UUID.self, forKey: .id)
    creatorID = try values.decodeIfPresent(UUID.self, forKey: .creatorID)
    fields = try MissionFields(from: decoder)
    state = try values.decode(MissionState.self, forKey: .state)
    createdAt = try values.decode(WireTime.self, forKey: .createdAt)
    closedAt = try values.decodeIfPresent(WireTime.self, forKey: .closedAt)
    version = try values.decode(Int64.self, forKey: .version)
    objectives = try values.decode([ObjectiveRecord].self, forKey: .objectives)
    members = try values.decode([MissionMemberRecord].self, forKey: .members)
    memberCount = try values.decode(Int.self, forKey: .memberCount)
    isFull = try values.decode(Bool.self, forKey: .isFull)
    myState = try values.decodeIfPresent(MissionMembership.self, forKey: .myState)
  }

  public func encode(to encoder: any Encoder) throws {
    try fields.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encodeIfPresent(creatorID, forKey: .creatorID)
    try values.encode(state, forKey: .state)
    try values.encode(createdAt, forKey: .createdAt)
    try values.encodeIfPresent(closedAt, forKey: .closedAt)
    try values.encode(version, forKey: .version)
    try values.encode(objectives, forKey: .objectives)
    try values.encode(members, forKey: .members)
    try values.encode(memberCount, forKey: .memberCount)
    try values.encode(isFull, forKey: .isFull)
    try values.encodeIfPresent(myState, forKey: .myState)
  }
}

/// A task of a mission, done by one check-in for all members or by a number of them.
public struct ObjectiveRecord: Hashable, Sendable, Codable, Identifiable {
  public var id: UUID
  @WireText<TitleText> public var title: String
  /// Degrees; nil for the mission's own place.
  public var latitude: Double?
  public var longitude: Double?
  /// Metres around the objective's own place; nil for the mission's radius.
  public var radiusMetres: Double?
  /// The number of check-ins it needs.
  public var count: Int
  /// The number of check-ins made.
  public var checkIns: Int
  /// Who made the latest check-in; nil before the first, for readers who are not members, and if
  /// that person is hidden from the reader.
  public var lastBy: UUID?
  /// When the latest check-in was made; nil if `lastBy` is nil.
  public var lastAt: WireTime?

  public init(
    id: UUID, title: String, place: Coordinate?, radiusMetres: Double?, count: Int,
    checkIns: Int, lastBy: UUID?, lastAt: WireTime?
  ) {
    self.id = id
    self.title = title
    latitude = place?.latitude
    longitude = place?.longitude
    self.radiusMetres = radiusMetres
    self.count = count
    self.checkIns = checkIns
    self.lastBy = lastBy
    self.lastAt = lastAt
  }

  /// The objective's own place; nil for the mission's.
  public var ownPlace: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  public var isDone: Bool { checkIns >= count }

  enum CodingKeys: String, CodingKey {
    case id, title, latitude, longitude, count
    case radiusMetres = "radius_m"
    case checkIns = "check_ins"
    case lastBy = "last_by"
    case lastAt = "last_at"
  }
}

/// A member of a mission, or a person invited to it.
public struct MissionMemberRecord: Hashable, Sendable, Codable, Identifiable {
  public static let table = "mission_members"

  public var userID: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  public var state: MissionMembership
  /// When they joined; nil while they are invited only.
  public var joinedAt: WireTime?

  public var id: UUID { userID }

  public init(
    userID: UUID, username: String, displayName: String, state: MissionMembership,
    joinedAt: WireTime?
  ) {
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.state = state
    self.joinedAt = joinedAt
  }

  enum CodingKeys: String, CodingKey {
    case username, state
    case userID = "user_id"
    case displayName = "display_name"
    case joinedAt = "joined_at"
  }
}

/// The kind of a line of a mission's activity.
public enum ActivityKind: String, Hashable, Sendable, Codable, CaseIterable {
  case created, joined, left
  case checkedIn = "checked_in"
  case completed, cancelled, said
}

/// A row of `fetch_mission_activity`, and of the table `mission_activity`: for members only, and
/// without any coordinate.
public struct MissionActivityRecord: Hashable, Sendable, Codable, Identifiable {
  public static let table = "mission_activity"

  public var id: UUID
  public var missionID: UUID
  @WireText<TitleText> public var missionTitle: String
  public var kind: ActivityKind
  /// Who did it; nil for what happened by itself, such as the completion by the last check-in.
  public var userID: UUID?
  @OptionalWireText<UsernameText> public var username: String?
  @OptionalWireText<NameText> public var displayName: String?
  /// Of a check-in.
  public var objectiveID: UUID?
  @OptionalWireText<TitleText> public var objectiveTitle: String?
  /// The message of a `said` line.
  @OptionalWireText<LineText> public var text: String?
  /// Unique among all lines; serves as page cursor.
  public var createdAt: WireTime

  /// A parameter for each column: the server makes a line whole from its row, and nobody changes it.
  public init(
    id: UUID, missionID: UUID, missionTitle: String, kind: ActivityKind, userID: UUID?,
    username: String?, displayName: String?, objectiveID: UUID? = nil,
    objectiveTitle: String? = nil, text: String? = nil, createdAt: WireTime
  ) {
    self.id = id
    self.missionID = missionID
    self.missionTitle = missionTitle
    self.kind = kind
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.objectiveID = objectiveID
    self.objectiveTitle = objectiveTitle
    self.text = text
    self.createdAt = createdAt
  }

  enum CodingKeys: String, CodingKey {
    case id, kind, username, text
    case missionID = "mission_id"
    case missionTitle = "mission_title"
    case userID = "user_id"
    case displayName = "display_name"
    case objectiveID = "objective_id"
    case objectiveTitle = "objective_title"
    case createdAt = "created_at"
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
