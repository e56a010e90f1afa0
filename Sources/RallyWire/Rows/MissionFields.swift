import FoundationEssentials

// What a person edits of a mission. A field stands here as it is (`MissionFields`), as it is changed
// (`MissionChanges`), and with what reads it from whatever has fields (`HasMissionFields`).

/// The fields of a mission, in a row and in storage.
public struct MissionFields: Hashable, Sendable, Codable {
  @WireText<TitleText> public var title: String
  @WireText<BriefText> public var brief: String
  /// Degrees; a row of another server may have numbers that name no place.
  public var latitude: Double
  public var longitude: Double
  /// Metres around the centre.
  public var radiusMetres: Double
  public var startsAt: WireTime
  /// Nil for a mission that ends only when it is completed or cancelled.
  public var endsAt: WireTime?
  /// When it takes place again; nil for a mission that does not repeat.
  public var series: MissionSeries?
  /// The limit of members, including the creator; nil for no limit.
  public var capacity: Int?
  public var visibility = MissionVisibility.invited
  /// Whether its members are asked to show the way when it starts; nil from an older server.
  public var isLive: Bool? = false

  public init(
    title: String, brief: String = "", centre: Coordinate, radiusMetres: Double,
    startsAt: WireTime, endsAt: WireTime? = nil
  ) {
    self.title = title
    self.brief = brief
    latitude = centre.latitude
    longitude = centre.longitude
    self.radiusMetres = radiusMetres
    self.startsAt = startsAt
    self.endsAt = endsAt
  }

  /// The centre; nil when the numbers name no place.
  public var centre: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }

  enum CodingKeys: String, CodingKey, CaseIterable {
    case title, brief, latitude, longitude, series, capacity, visibility
    case radiusMetres = "radius_m"
    case startsAt = "starts_at"
    case endsAt = "ends_at"
    case isLive = "is_live"
  }
}

/// Whatever has the fields of a mission is read as if they were its own.
public protocol HasMissionFields {
  var fields: MissionFields { get }
}

extension HasMissionFields {
  public var title: String { fields.title }
  public var brief: String { fields.brief }
  public var latitude: Double { fields.latitude }
  public var longitude: Double { fields.longitude }
  public var radiusMetres: Double { fields.radiusMetres }
  public var startsAt: WireTime { fields.startsAt }
  public var endsAt: WireTime? { fields.endsAt }
  public var series: MissionSeries? { fields.series }
  public var capacity: Int? { fields.capacity }
  public var visibility: MissionVisibility { fields.visibility }
  public var isLive: Bool? { fields.isLive }
}

/// What a call sets of a mission's fields.
///
/// What is absent stays as it is, and has its default in a new mission. An explicit null takes an
/// optional field away.
public struct MissionChanges: Hashable, Sendable, Codable {
  public var title: String?
  public var brief: String?
  /// Degrees; both or neither.
  public var latitude: Double?
  public var longitude: Double?
  /// Metres, `MissionRules.radii`.
  public var radiusMetres: Double?
  /// Now in a new mission.
  public var startsAt: WireTime?
  /// Without one it has no end.
  public var endsAt = FieldChange<WireTime>.keep
  /// Without one it takes place once. A mission that repeats has an end, within
  /// `MissionRepeat.longestOccurrence`.
  public var repeats = FieldChange<MissionRepeat>.keep
  /// No occurrence starts later; without one the series has no end.
  public var repeatUntil = FieldChange<WireTime>.keep
  /// By whose clocks it repeats, a name of the time zone database; UTC in a new mission.
  public var timeZone: String?
  /// People, the creator among them; without one any number.
  public var capacity = FieldChange<Int>.keep
  /// `invited` in a new mission.
  public var visibility: MissionVisibility?
  /// Whether the members are asked to show the way when it starts; no in a new mission.
  public var isLive: Bool?
  /// The whole new list, at most `MissionRules.objectiveLimit`: those with an `id` keep their
  /// check-ins, those that are missing go.
  public var objectives: [ObjectiveInput]?

  public init() {}

  public enum CodingKeys: String, ArgumentKey {
    case title, brief, latitude, longitude, radiusMetres = "radius_m", startsAt, endsAt, repeats
    case repeatUntil, timeZone, capacity, visibility, isLive, objectives
  }

  static var arguments: [String] { CodingKeys.allCases.map(\.stringValue) }

  public mutating func setCentre(_ centre: Coordinate) {
    (latitude, longitude) = (centre.latitude, centre.longitude)
  }

  /// Makes these changes, but for the series, which depends on its times, and the objectives.
  public func apply(to fields: inout MissionFields) {
    fields.title = title ?? fields.title
    fields.brief = brief ?? fields.brief
    fields.latitude = latitude ?? fields.latitude
    fields.longitude = longitude ?? fields.longitude
    fields.radiusMetres = radiusMetres ?? fields.radiusMetres
    fields.startsAt = startsAt ?? fields.startsAt
    fields.endsAt = endsAt.applied(to: fields.endsAt)
    fields.capacity = capacity.applied(to: fields.capacity)
    fields.visibility = visibility ?? fields.visibility
    fields.isLive = isLive ?? fields.isLive
  }

  /// With texts as they are stored.
  ///
  /// - Throws: `FieldProblem` with a sentence that says what to type instead.
  public func checkingTexts() throws(FieldProblem) -> MissionChanges {
    var changes = self
    if let title { changes.title = try MissionText.title(title) }
    if let brief { changes.brief = try MissionText.brief(brief) }
    return changes
  }

  /// The same for a new mission, from which nothing can be taken away.
  var ofNew: MissionChanges {
    var changes = self
    changes.endsAt = endsAt.ofNew
    changes.repeats = repeats.ofNew
    changes.repeatUntil = repeatUntil.ofNew
    changes.capacity = capacity.ofNew
    return changes
  }
}

/// A change of an optional field.
public enum FieldChange<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
  case keep, clear
  case set(Value)

  /// The new value; nil for none, or none that is said.
  public var value: Value? { if case .set(let value) = self { value } else { nil } }

  /// Sets the value, or clears it for nil.
  public init(_ value: Value?) { self = value.map { .set($0) } ?? .clear }

  public func applied(to old: Value?) -> Value? {
    switch self {
    case .keep: old
    case .clear: nil
    case .set(let value): value
    }
  }

  fileprivate var ofNew: FieldChange { self == .clear ? .keep : self }
}

/// An absent member keeps, a null clears. Synthesized coding takes these for a `FieldChange`.
extension KeyedDecodingContainer {
  func decode<Value>(
    _ type: FieldChange<Value>.Type, forKey key: Key
  ) throws -> FieldChange<Value> {
    guard contains(key) else { return .keep }
    return try decodeNil(forKey: key) ? .clear : .set(decode(Value.self, forKey: key))
  }
}

extension KeyedEncodingContainer {
  mutating func encode<Value>(_ change: FieldChange<Value>, forKey key: Key) throws {
    switch change {
    case .keep: return
    case .clear: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}

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
