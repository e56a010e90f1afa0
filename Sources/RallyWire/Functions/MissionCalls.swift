import FoundationEssentials

/// An objective as the mission's creator enters it.
public struct ObjectiveInput: Hashable, Sendable, Codable {
  /// The objective that this one replaces; nil for a new one.
  public var id: WireID?
  public var title: String
  /// Degrees; both or neither: without them the objective is done at the mission's place.
  public var latitude: Double?
  public var longitude: Double?
  /// Metres around its own place.
  public var radiusMetres: Double?
  /// The number of check-ins it needs; nil for one.
  public var count: Int?

  public init(
    id: UUID? = nil, title: String, place: Coordinate? = nil, radiusMetres: Double? = nil,
    count: Int? = nil
  ) {
    self.id = id.map(WireID.init(wrappedValue:))
    self.title = title
    latitude = place?.latitude
    longitude = place?.longitude
    self.radiusMetres = radiusMetres
    self.count = count
  }

  enum CodingKeys: String, CodingKey {
    case id, title, latitude, longitude, count
    case radiusMetres = "radius_m"
  }
}

public struct CreateMission: RemoteMutation, Hashable {
  public typealias Output = MissionRecord
  public static let name = "create_mission"

  public var title: String
  public var brief: String?
  public var latitude: Double
  public var longitude: Double
  /// Metres, `MissionRules.radii`.
  public var radiusMetres: Double
  /// Nil for now.
  public var startsAt: WireTime?
  /// Nil for no end.
  public var endsAt: WireTime?
  /// Nil for once. A mission that repeats has an end, within `MissionRepeat.longestOccurrence`.
  public var repeats: MissionRepeat?
  /// No occurrence starts later; nil for no end of the series.
  public var repeatUntil: WireTime?
  /// By whose clocks it repeats, a name of the time zone database; nil for UTC.
  public var timeZone: String?
  /// The day of the month of a monthly series, where it starts on an earlier one since the month is
  /// shorter; nil for the day of the start.
  public var monthDay: Int?
  /// The time of day of a series, where it starts later since the clocks of that day skip it; nil
  /// for the time of the start.
  public var timeOfDay: ClockTime?
  /// People, the creator among them; nil for any number.
  public var capacity: Int?
  /// Nil for `invited`.
  public var visibility: MissionVisibility?
  /// Whether the members are asked to show the way when it starts; nil for no.
  public var isLive: Bool?
  /// At most `MissionRules.objectiveLimit`; nil for none.
  public var objectives: [ObjectiveInput]?
  public var clientID: WireID?

  public init(
    title: String, brief: String? = nil, centre: Coordinate, radiusMetres: Double,
    startsAt: WireTime? = nil, endsAt: WireTime? = nil, repeats: MissionRepeat? = nil,
    repeatUntil: WireTime? = nil, timeZone: String? = nil, monthDay: Int? = nil,
    timeOfDay: ClockTime? = nil, capacity: Int? = nil,
    visibility: MissionVisibility? = nil, isLive: Bool? = nil,
    objectives: [ObjectiveInput]? = nil, clientID: UUID? = nil
  ) {
    self.title = title
    self.brief = brief
    latitude = centre.latitude
    longitude = centre.longitude
    self.radiusMetres = radiusMetres
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.repeats = repeats
    self.repeatUntil = repeatUntil
    self.timeZone = timeZone
    self.monthDay = monthDay
    self.timeOfDay = timeOfDay
    self.capacity = capacity
    self.visibility = visibility
    self.isLive = isLive
    self.objectives = objectives
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case title = "p_title"
    case brief = "p_brief"
    case latitude = "p_latitude"
    case longitude = "p_longitude"
    case radiusMetres = "p_radius_m"
    case startsAt = "p_starts_at"
    case endsAt = "p_ends_at"
    case repeats = "p_repeats"
    case repeatUntil = "p_repeat_until"
    case timeZone = "p_time_zone"
    case monthDay = "p_month_day"
    case timeOfDay = "p_time_of_day"
    case capacity = "p_capacity"
    case visibility = "p_visibility"
    case isLive = "p_is_live"
    case objectives = "p_objectives"
    case clientID = "p_client_id"
  }
}

/// Changes a mission that the caller created; what is absent stays as it is.
///
/// An explicit null takes the end, the repetition, its end or the capacity away. In a series all
/// occurrences from the current one on are changed.
public struct UpdateMission: RemoteMutation {
  public typealias Output = MissionRecord
  public static let name = "update_mission"

  /// A change of an optional value.
  public enum Change<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
    case keep, clear
    case set(Value)
  }

  @WireID public var missionID: UUID
  public var title: String?
  public var brief: String?
  public var latitude: Double?
  public var longitude: Double?
  public var radiusMetres: Double?
  public var startsAt: WireTime?
  public var endsAt: Change<WireTime> = .keep
  public var repeats: Change<MissionRepeat> = .keep
  public var repeatUntil: Change<WireTime> = .keep
  public var timeZone: String?
  public var capacity: Change<Int> = .keep
  public var visibility: MissionVisibility?
  public var isLive: Bool?
  /// The whole new list: those with an `id` keep their check-ins, those that are missing go.
  public var objectives: [ObjectiveInput]?
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    _missionID = WireID(wrappedValue: missionID)
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case title = "p_title"
    case brief = "p_brief"
    case latitude = "p_latitude"
    case longitude = "p_longitude"
    case radiusMetres = "p_radius_m"
    case startsAt = "p_starts_at"
    case endsAt = "p_ends_at"
    case repeats = "p_repeats"
    case repeatUntil = "p_repeat_until"
    case timeZone = "p_time_zone"
    case capacity = "p_capacity"
    case visibility = "p_visibility"
    case isLive = "p_is_live"
    case objectives = "p_objectives"
    case clientID = "p_client_id"
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    _missionID = try values.decode(WireID.self, forKey: .missionID)
    title = try values.decodeIfPresent(String.self, forKey: .title)
    brief = try values.decodeIfPresent(String.self, forKey: .brief)
    latitude = try values.decodeIfPresent(Double.self, forKey: .latitude)
    longitude = try values.decodeIfPresent(Double.self, forKey: .longitude)
    radiusMetres = try values.decodeIfPresent(Double.self, forKey: .radiusMetres)
    startsAt = try values.decodeIfPresent(WireTime.self, forKey: .startsAt)
    endsAt = try UpdateMission.change(in: values, forKey: .endsAt)
    repeats = try UpdateMission.change(in: values, forKey: .repeats)
    repeatUntil = try UpdateMission.change(in: values, forKey: .repeatUntil)
    timeZone = try values.decodeIfPresent(String.self, forKey: .timeZone)
    capacity = try UpdateMission.change(in: values, forKey: .capacity)
    visibility = try values.decodeIfPresent(MissionVisibility.self, forKey: .visibility)
    isLive = try values.decodeIfPresent(Bool.self, forKey: .isLive)
    objectives = try values.decodeIfPresent([ObjectiveInput].self, forKey: .objectives)
    clientID = try values.decodeIfPresent(WireID.self, forKey: .clientID)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(_missionID, forKey: .missionID)
    try values.encodeIfPresent(title, forKey: .title)
    try values.encodeIfPresent(brief, forKey: .brief)
    try values.encodeIfPresent(latitude, forKey: .latitude)
    try values.encodeIfPresent(longitude, forKey: .longitude)
    try values.encodeIfPresent(radiusMetres, forKey: .radiusMetres)
    try values.encodeIfPresent(startsAt, forKey: .startsAt)
    try UpdateMission.encode(endsAt, in: &values, forKey: .endsAt)
    try UpdateMission.encode(repeats, in: &values, forKey: .repeats)
    try UpdateMission.encode(repeatUntil, in: &values, forKey: .repeatUntil)
    try values.encodeIfPresent(timeZone, forKey: .timeZone)
    try UpdateMission.encode(capacity, in: &values, forKey: .capacity)
    try values.encodeIfPresent(visibility, forKey: .visibility)
    try values.encodeIfPresent(isLive, forKey: .isLive)
    try values.encodeIfPresent(objectives, forKey: .objectives)
    try values.encodeIfPresent(clientID, forKey: .clientID)
  }

  private static func change<Value>(
    in values: KeyedDecodingContainer<CodingKeys>, forKey key: CodingKeys
  ) throws -> Change<Value> {
    guard values.contains(key) else { return .keep }
    return try values.decodeNil(forKey: key) ? .clear : .set(values.decode(Value.self, forKey: key))
  }

  private static func encode<Value>(
    _ change: Change<Value>, in values: inout KeyedEncodingContainer<CodingKeys>,
    forKey key: CodingKeys
  ) throws {
    switch change {
    case .keep: return
    case .clear: try values.encodeNil(forKey: key)
    case .set(let value): try values.encode(value, forKey: key)
    }
  }
}

/// A mutation whose only argument is the mission, and which returns its new state.
public protocol MissionMutation: RemoteMutation where Output == MissionRecord {
  var missionID: UUID { get }
  init(missionID: UUID, clientID: UUID?)
}

/// The argument names that every `MissionMutation` shares.
public enum MissionMutationKeys: String, CodingKey, CaseIterable, Sendable {
  case missionID = "p_mission_id"
  case clientID = "p_client_id"
}

public struct CancelMission: MissionMutation {
  public static let name = "cancel_mission"
  public typealias CodingKeys = MissionMutationKeys

  @WireID public var missionID: UUID
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    self.missionID = missionID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct CompleteMission: MissionMutation {
  public static let name = "complete_mission"
  public typealias CodingKeys = MissionMutationKeys

  @WireID public var missionID: UUID
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    self.missionID = missionID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

/// Leaves out the current occurrence of a series that the caller created: the next one follows.
public struct SkipOccurrence: MissionMutation {
  public static let name = "skip_occurrence"
  public typealias CodingKeys = MissionMutationKeys

  @WireID public var missionID: UUID
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    self.missionID = missionID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct JoinMission: MissionMutation {
  public static let name = "join_mission"
  public typealias CodingKeys = MissionMutationKeys

  @WireID public var missionID: UUID
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    self.missionID = missionID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

/// Leaves a mission, or declines the invitation to one.
public struct LeaveMission: MissionMutation {
  public static let name = "leave_mission"
  public typealias CodingKeys = MissionMutationKeys

  @WireID public var missionID: UUID
  public var clientID: WireID?

  public init(missionID: UUID, clientID: UUID? = nil) {
    self.missionID = missionID
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }
}

public struct FetchMission: RemoteFunction {
  public typealias Output = MissionRecord
  public static let name = "fetch_mission"

  @WireID public var missionID: UUID

  public init(missionID: UUID) { _missionID = WireID(wrappedValue: missionID) }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
  }
}

/// Which missions a list contains.
public enum MissionScope: String, Hashable, Sendable, Codable, CaseIterable {
  /// Open ones that I am in or invited to, the one that ends first on top.
  case active
  /// Open ones that I may see around a place, the nearest first.
  case nearby
  /// Those I was in that are completed, cancelled or ended, the newest first.
  case done
}

public struct FetchMissions: RemoteFunction {
  public typealias Output = [MissionRecord]
  public static let name = "fetch_missions"
  /// Metres; the radius of `nearby` when none is given.
  public static let defaultRadius = 50_000.0
  /// Metres; half the way around the Earth and more.
  public static let radii = 1.0...20_100_000.0

  public var scope: MissionScope
  /// The centre of a `nearby` search; neither stored nor logged.
  public var latitude: Double?
  public var longitude: Double?
  public var radiusMetres: Double?
  public var limit: Int?
  public var offset: Int?

  public init(
    scope: MissionScope, around centre: Coordinate? = nil, radiusMetres: Double? = nil,
    limit: Int? = nil, offset: Int? = nil
  ) {
    self.scope = scope
    latitude = centre?.latitude
    longitude = centre?.longitude
    self.radiusMetres = radiusMetres
    self.limit = limit
    self.offset = offset
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case scope = "p_scope"
    case latitude = "p_latitude"
    case longitude = "p_longitude"
    case radiusMetres = "p_radius_m"
    case limit = "p_limit"
    case offset = "p_offset"
  }
}

/// Asks friends of the caller to join.
public struct InviteToMission: RemoteMutation {
  public typealias Output = NoContent
  public static let name = "invite_to_mission"

  @WireID public var missionID: UUID
  public var userIDs: [WireID]
  public var clientID: WireID?

  public init(missionID: UUID, userIDs: [UUID], clientID: UUID? = nil) {
    _missionID = WireID(wrappedValue: missionID)
    self.userIDs = userIDs.map(WireID.init(wrappedValue:))
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case userIDs = "p_user_ids"
    case clientID = "p_client_id"
  }
}

/// Checks the caller in at an objective. The position is neither stored nor logged.
public struct CheckIn: RemoteMutation {
  public typealias Output = MissionRecord
  public static let name = "check_in"

  @WireID public var missionID: UUID
  @WireID public var objectiveID: UUID
  public var latitude: Double
  public var longitude: Double
  /// Metres; nil counts as exact.
  public var accuracyMetres: Double?
  public var clientID: WireID?

  public init(
    missionID: UUID, objectiveID: UUID, at place: Coordinate, accuracyMetres: Double?,
    clientID: UUID? = nil
  ) {
    _missionID = WireID(wrappedValue: missionID)
    _objectiveID = WireID(wrappedValue: objectiveID)
    latitude = place.latitude
    longitude = place.longitude
    self.accuracyMetres = accuracyMetres
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case objectiveID = "p_objective_id"
    case latitude = "p_latitude"
    case longitude = "p_longitude"
    case accuracyMetres = "p_accuracy_m"
    case clientID = "p_client_id"
  }
}

public struct FetchMissionActivity: RemoteFunction {
  public typealias Output = [MissionActivityRecord]
  public static let name = "fetch_mission_activity"

  /// Nil for all missions that the caller is in.
  public var missionID: WireID?
  /// Only lines older than this one's time; nil for the newest.
  public var before: WireTime?
  public var limit: Int?

  public init(missionID: UUID? = nil, before: WireTime? = nil, limit: Int? = nil) {
    self.missionID = missionID.map(WireID.init(wrappedValue:))
    self.before = before
    self.limit = limit
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case before = "p_before"
    case limit = "p_limit"
  }
}

public struct SayInMission: RemoteMutation {
  public typealias Output = MissionActivityRecord
  public static let name = "say_in_mission"

  @WireID public var missionID: UUID
  public var text: String
  public var clientID: WireID?

  public init(missionID: UUID, text: String, clientID: UUID? = nil) {
    _missionID = WireID(wrappedValue: missionID)
    self.text = text
    self.clientID = clientID.map(WireID.init(wrappedValue:))
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case text = "p_text"
    case clientID = "p_client_id"
  }
}
