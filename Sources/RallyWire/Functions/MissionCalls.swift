import FoundationEssentials

/// An objective as the mission's creator enters it.
public struct ObjectiveInput: Hashable, Sendable, Codable {
  /// The objective that this one replaces; nil for a new one.
  public var id: UUID?
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
    self.id = id
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

  public init(
    title: String, brief: String? = nil, centre: Coordinate, radiusMetres: Double,
    startsAt: WireTime? = nil, endsAt: WireTime? = nil, repeats: MissionRepeat? = nil,
    repeatUntil: WireTime? = nil, timeZone: String? = nil, monthDay: Int? = nil,
    timeOfDay: ClockTime? = nil, capacity: Int? = nil,
    visibility: MissionVisibility? = nil, isLive: Bool? = nil,
    objectives: [ObjectiveInput]? = nil
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
  public enum Change<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    case keep, clear
    case set(Value)
  }

  public var missionID: UUID
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

  public init(missionID: UUID) { self.missionID = missionID }

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
  }
}

/// An absent member keeps, a null clears. Synthesized coding takes these for a `Change`.
extension KeyedDecodingContainer {
  func decode<Value>(
    _ type: UpdateMission.Change<Value>.Type, forKey key: Key
  ) throws -> UpdateMission.Change<Value> {
    guard contains(key) else { return .keep }
    return try decodeNil(forKey: key) ? .clear : .set(decode(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  mutating func encode<Value>(
    _ change: UpdateMission.Change<Value>, forKey key: Key
  ) throws {
    switch change {
    case .keep: return
    case .clear: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}

/// A mutation whose only argument is the mission, and which returns its new state.
public struct MissionMutation<Act: NamedAct>: RemoteMutation {
  public typealias Output = MissionRecord
  public static var name: String { Act.name }

  public var missionID: UUID

  public init(missionID: UUID) { self.missionID = missionID }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
  }
}

public typealias CancelMission = MissionMutation<MissionActs.Cancel>
public typealias CompleteMission = MissionMutation<MissionActs.Complete>
/// Leaves out the current occurrence of a series that the caller created: the next one follows.
public typealias SkipOccurrence = MissionMutation<MissionActs.Skip>
public typealias JoinMission = MissionMutation<MissionActs.Join>
/// Leaves a mission, or declines the invitation to one.
public typealias LeaveMission = MissionMutation<MissionActs.Leave>

public enum MissionActs {
  public enum Cancel: NamedAct { public static let name = "cancel_mission" }
  public enum Complete: NamedAct { public static let name = "complete_mission" }
  public enum Skip: NamedAct { public static let name = "skip_occurrence" }
  public enum Join: NamedAct { public static let name = "join_mission" }
  public enum Leave: NamedAct { public static let name = "leave_mission" }
}

public struct FetchMission: RemoteFunction {
  public typealias Output = MissionRecord
  public static let name = "fetch_mission"

  public var missionID: UUID

  public init(missionID: UUID) { self.missionID = missionID }

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

  public var missionID: UUID
  public var userIDs: [UUID]

  public init(missionID: UUID, userIDs: [UUID]) {
    self.missionID = missionID
    self.userIDs = userIDs
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case userIDs = "p_user_ids"
  }
}

/// Checks the caller in at an objective. The position is neither stored nor logged.
public struct CheckIn: RemoteMutation {
  public typealias Output = MissionRecord
  public static let name = "check_in"

  public var missionID: UUID
  public var objectiveID: UUID
  public var latitude: Double
  public var longitude: Double
  /// Metres; nil counts as exact.
  public var accuracyMetres: Double?

  public init(
    missionID: UUID, objectiveID: UUID, at place: Coordinate, accuracyMetres: Double?
  ) {
    self.missionID = missionID
    self.objectiveID = objectiveID
    latitude = place.latitude
    longitude = place.longitude
    self.accuracyMetres = accuracyMetres
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case objectiveID = "p_objective_id"
    case latitude = "p_latitude"
    case longitude = "p_longitude"
    case accuracyMetres = "p_accuracy_m"
  }
}

public struct FetchMissionActivity: RemoteFunction {
  public typealias Output = [MissionActivityRecord]
  public static let name = "fetch_mission_activity"

  /// Nil for all missions that the caller is in.
  public var missionID: UUID?
  /// Only lines older than this one's time; nil for the newest.
  public var before: WireTime?
  public var limit: Int?

  public init(missionID: UUID? = nil, before: WireTime? = nil, limit: Int? = nil) {
    self.missionID = missionID
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

  public var missionID: UUID
  public var text: String

  public init(missionID: UUID, text: String) {
    self.missionID = missionID
    self.text = text
  }

  public enum CodingKeys: String, CodingKey, CaseIterable {
    case missionID = "p_mission_id"
    case text = "p_text"
  }
}
