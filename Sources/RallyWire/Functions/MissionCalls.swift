import FoundationEssentials

/// Makes a mission. Title, place and radius are always said.
@dynamicMemberLookup
public struct CreateMission: RemoteMutation, Hashable {
  public typealias Output = MissionRecord
  public static let name = "create_mission"

  /// What its fields are, of nothing.
  public private(set) var changes: MissionChanges
  /// The day of the month of a monthly series, where it starts on an earlier one since the month is
  /// shorter. Nil for the day of the start.
  public var monthDay: Int?
  /// The time of day of a series, where it starts later since the clocks of that day skip it; nil
  /// for the time of the start.
  public var timeOfDay: ClockTime?

  /// - Parameter changes: With a title, a place and a radius.
  public init(_ changes: MissionChanges, monthDay: Int? = nil, timeOfDay: ClockTime? = nil) {
    self.changes = changes.ofNew
    self.monthDay = monthDay
    self.timeOfDay = timeOfDay
  }

  public init(
    title: String, centre: Coordinate, radiusMetres: Double, startsAt: WireTime? = nil,
    endsAt: WireTime? = nil, capacity: Int? = nil, visibility: MissionVisibility? = nil,
    objectives: [ObjectiveInput]? = nil
  ) {
    var changes = MissionChanges()
    changes.title = title
    changes.setCentre(centre)
    changes.radiusMetres = radiusMetres
    changes.startsAt = startsAt
    changes.endsAt = FieldChange(endsAt)
    changes.capacity = FieldChange(capacity)
    changes.visibility = visibility
    changes.objectives = objectives
    self.init(changes)
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<MissionChanges, Value>) -> Value {
    get { changes[keyPath: path] }
    set { changes[keyPath: path] = newValue }
  }

  /// A value that a new mission has or has not.
  public subscript<Value>(
    dynamicMember path: WritableKeyPath<MissionChanges, FieldChange<Value>>
  ) -> Value? {
    get { changes[keyPath: path].value }
    set { changes[keyPath: path] = newValue.map { .set($0) } ?? .keep }
  }

  public var title: String {
    get { changes.title ?? "" }
    set { changes.title = newValue }
  }
  public var latitude: Double {
    get { changes.latitude ?? 0 }
    set { changes.latitude = newValue }
  }
  public var longitude: Double {
    get { changes.longitude ?? 0 }
    set { changes.longitude = newValue }
  }
  public var radiusMetres: Double {
    get { changes.radiusMetres ?? 0 }
    set { changes.radiusMetres = newValue }
  }

  public enum CodingKeys: String, ArgumentKey { case monthDay, timeOfDay }

  public static var arguments: [String] {
    MissionChanges.arguments + CodingKeys.allCases.map(\.stringValue)
  }

  public init(from decoder: any Decoder) throws {
    let required = try decoder.container(keyedBy: MissionChanges.CodingKeys.self)
    _ = try required.decode(String.self, forKey: .title)
    for key in [MissionChanges.CodingKeys.latitude, .longitude, .radiusMetres] {
      _ = try required.decode(Double.self, forKey: key)
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try MissionChanges(from: decoder),
      monthDay: try values.decodeIfPresent(Int.self, forKey: .monthDay),
      timeOfDay: try values.decodeIfPresent(ClockTime.self, forKey: .timeOfDay))
  }

  public func encode(to encoder: any Encoder) throws {
    try changes.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(monthDay, forKey: .monthDay)
    try values.encodeIfPresent(timeOfDay, forKey: .timeOfDay)
  }
}

/// Changes a mission that the caller created. In a series all occurrences from the current one on
/// are changed.
@dynamicMemberLookup
public struct UpdateMission: RemoteMutation {
  public typealias Output = MissionRecord
  public static let name = "update_mission"

  public var missionID: UUID
  public var changes: MissionChanges

  public init(missionID: UUID, _ changes: MissionChanges = MissionChanges()) {
    self.missionID = missionID
    self.changes = changes
  }

  public subscript<Value>(dynamicMember path: WritableKeyPath<MissionChanges, Value>) -> Value {
    get { changes[keyPath: path] }
    set { changes[keyPath: path] = newValue }
  }

  public enum CodingKeys: String, ArgumentKey { case missionID }

  public static var arguments: [String] {
    CodingKeys.allCases.map(\.stringValue) + MissionChanges.arguments
  }

  public init(from decoder: any Decoder) throws {
    missionID = try decoder.container(keyedBy: CodingKeys.self)
      .decode(UUID.self, forKey: .missionID)
    changes = try MissionChanges(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try changes.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(missionID, forKey: .missionID)
  }
}

/// A mutation whose only argument is the mission, and which returns its new state.
public struct MissionMutation<Act: NamedAct>: RemoteMutation {
  public typealias Output = MissionRecord
  public static var name: String { Act.name }

  public var missionID: UUID

  public init(missionID: UUID) { self.missionID = missionID }

  public enum CodingKeys: String, ArgumentKey { case missionID }
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

  public enum CodingKeys: String, ArgumentKey { case missionID }
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

  public enum CodingKeys: String, ArgumentKey {
    case scope, latitude, longitude, radiusMetres = "radius_m", limit, offset
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

  public enum CodingKeys: String, ArgumentKey { case missionID, userIDs }
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

  public init(missionID: UUID, objectiveID: UUID, at place: Coordinate, accuracyMetres: Double?) {
    self.missionID = missionID
    self.objectiveID = objectiveID
    latitude = place.latitude
    longitude = place.longitude
    self.accuracyMetres = accuracyMetres
  }

  public enum CodingKeys: String, ArgumentKey {
    case missionID, objectiveID, latitude, longitude, accuracyMetres = "accuracy_m"
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

  public enum CodingKeys: String, ArgumentKey { case missionID, before, limit }
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

  public enum CodingKeys: String, ArgumentKey { case missionID, text }
}
