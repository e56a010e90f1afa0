import FoundationEssentials

/// A position that a device measured, as it is sent to the server.
public struct LocationReport: Hashable, Sendable, Codable {
  public var latitude: Double
  public var longitude: Double
  /// Metres, 0...10,000,000; the true place is within this radius two times out of three.
  public var accuracyMetres: Double?
  /// Metres a second, 0...100,000.
  public var speed: Double?
  /// Degrees clockwise from north, 0..<360.
  public var course: Double?
  /// Percent, 0...100.
  public var battery: Double?
  /// When it was measured.
  public var recordedAt: WireTime
  /// Where it came from, in a word: `manual`, `gps`, …
  public var source: String
  /// How precise the sender left it; nil for uncut.
  public var precision: SharingMode?

  public init(
    coordinate: Coordinate, accuracyMetres: Double? = nil, speed: Double? = nil,
    course: Double? = nil, battery: Double? = nil, recordedAt: WireTime, source: String,
    precision: SharingMode? = nil
  ) {
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    self.accuracyMetres = accuracyMetres
    self.speed = speed
    self.course = course
    self.battery = battery
    self.recordedAt = recordedAt
    self.source = source
    self.precision = precision
  }

  /// A report of a cell and a quarter of an hour, without anything about the device.
  public init(in cell: GridCell, at time: WireTime) {
    self.init(
      coordinate: cell.center, accuracyMetres: cell.level.accuracyMetres,
      recordedAt: time.quarterHour, source: Self.coarseSource, precision: SharingMode(cell.level))
  }

  /// Replaces the real source, which would reveal the device.
  public static let coarseSource = "approximate"

  /// The place; nil when the numbers name none.
  public var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }

  enum CodingKeys: String, CodingKey {
    case latitude, longitude, speed, course, battery, source, precision
    case accuracyMetres = "accuracy_m"
    case recordedAt = "recorded_at"
  }
}

/// A row of `fetch_friend_locations` and of the table `locations`: a person's last known position,
/// cut to what the reader may see.
public struct LocationRecord: Hashable, Sendable, Codable, Identifiable {
  public static let table = "locations"

  public var userID: UUID
  public var latitude: Double
  public var longitude: Double
  /// Metres; the size of the cell where the position is coarse.
  public var accuracyMetres: Double?
  /// Metres a second; precise readers only.
  public var speed: Double?
  /// Degrees clockwise from north; precise readers only.
  public var course: Double?
  /// Percent; precise readers only.
  public var battery: Double?
  /// When it was measured; for a coarse position, the quarter of an hour in which the person
  /// entered the cell.
  public var recordedAt: WireTime
  @WireText<NameText> public var source: String
  /// What the reader sees; never `off`.
  public var precision: SharingMode
  /// Grows with every change that this reader may see, and with no other.
  public var version: Int64

  public var id: UUID { userID }
  public var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }

  public init(
    userID: UUID, coordinate: Coordinate, accuracyMetres: Double?, speed: Double?,
    course: Double?, battery: Double?, recordedAt: WireTime, source: String,
    precision: SharingMode, version: Int64
  ) {
    self.userID = userID
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    self.accuracyMetres = accuracyMetres
    self.speed = speed
    self.course = course
    self.battery = battery
    self.recordedAt = recordedAt
    self.source = source
    self.precision = precision
    self.version = version
  }

  enum CodingKeys: String, CodingKey {
    case latitude, longitude, speed, course, battery, source, precision, version
    case userID = "user_id"
    case accuracyMetres = "accuracy_m"
    case recordedAt = "recorded_at"
  }
}

/// A row of `fetch_location_sharing`: the default first, then every friend with what they see, then
/// members of missions who are no friends and see the way there.
public struct LocationSharingRecord: Hashable, Sendable, Codable {
  /// The table of sharing decisions. Only their owner receives its changes.
  public static let table = "location_sharing"

  /// Nil in the row of the default.
  public var userID: UUID?
  @OptionalWireText<UsernameText> public var username: String?
  @OptionalWireText<NameText> public var displayName: String?
  /// What holds now for this friend: their own setting, or the default.
  public var mode: SharingMode
  /// When the setting ends and the default holds again; nil for one without an end.
  public var until: WireTime?
  /// Whether the default decides.
  public var isDefault: Bool
  /// Exactly what this friend sees at this moment; nil for nothing, and in the row of the default.
  public var location: LocationRecord?
  /// Until when this person sees the precise position, whatever `mode` says, because the owner is
  /// on the way to a mission of both. Nil without such a way.
  public var wayUntil: WireTime?
  /// False for somebody who sees a way and nothing else; nil in the row of the default, and from
  /// servers that do not say.
  public var isFriend: Bool?
  /// Why this friend sees nothing; nil while they see `location`, in the row of the default, and
  /// from servers that do not say.
  public var withheld: WithheldReason?
  /// Whether the owner is a ghost, whom nobody sees, whatever `mode` says; only in the row of the
  /// default, and nil from servers without ghosts.
  public var isGhost: Bool?

  public init(
    userID: UUID?, username: String?, displayName: String?, mode: SharingMode,
    until: WireTime?, isDefault: Bool, location: LocationRecord?,
    withheld: WithheldReason? = nil, wayUntil: WireTime? = nil, isFriend: Bool? = nil,
    isGhost: Bool? = nil
  ) {
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.mode = mode
    self.until = until
    self.isDefault = isDefault
    self.location = location
    self.withheld = withheld
    self.wayUntil = wayUntil
    self.isFriend = isFriend
    self.isGhost = isGhost
  }

  /// What this friend sees, or why they see nothing. Where the server gives no reason, the mode
  /// tells it.
  public var seen: Result<LocationRecord, WithheldReason> {
    if let location { return .success(location) }
    return .failure(withheld ?? (mode == .off ? .off : .noReport))
  }

  enum CodingKeys: String, CodingKey {
    case username, mode, until, location, withheld
    case userID = "user_id"
    case displayName = "display_name"
    case isDefault = "is_default"
    case wayUntil = "way_until"
    case isFriend = "is_friend"
    case isGhost = "is_ghost"
  }
}

/// A row of `fetch_location_asks`: a friend's question where the caller is, or the caller's own.
public struct LocationAskRecord: Hashable, Sendable, Codable {
  /// The table of questions. Both friends get a question's event. That it was closed is sent to the
  /// friend who was asked alone.
  public static let table = "location_asks"
  /// After this a question counts no more.
  public static let lifetime = Duration.seconds(1800)
  /// Within this a repeated question to the same friend changes nothing.
  public static let pause = Duration.seconds(600)

  /// The other one.
  public var userID: UUID
  @WireText<UsernameText> public var username: String
  @WireText<NameText> public var displayName: String
  /// `incoming` for what others ask the caller.
  public var direction: RequestDirection
  public var askedAt: WireTime

  public init(
    userID: UUID, username: String, displayName: String, direction: RequestDirection,
    askedAt: WireTime
  ) {
    self.userID = userID
    self.username = username
    self.displayName = displayName
    self.direction = direction
    self.askedAt = askedAt
  }

  enum CodingKeys: String, CodingKey {
    case username, direction
    case userID = "user_id"
    case displayName = "display_name"
    case askedAt = "asked_at"
  }
}

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
