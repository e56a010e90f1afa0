import RallyDomain
import RallyWire

// The rows that the location verbs print with `--json`. Scripts build on these names: nothing is
// renamed or left out, and what is unknown is null.

/// A friend's position, as exactly as they let me see it.
struct WhereRow: Encodable {
  let position: FriendPosition
  /// nil if my position is not known.
  let me: Coordinate?
  /// The nearest city.
  let near: Place?
  let now: WireTime

  enum CodingKeys: String, CodingKey {
    case username, latitude, longitude, precision, age, near, speed, course, battery
    case displayName = "display_name"
    case accuracy = "accuracy_m"
    case recordedAt = "recorded_at"
    case distance = "distance_m"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(position.profile.username, forKey: .username)
    try container.encode(position.profile.displayName, forKey: .displayName)
    try container.encode(position.coordinate.latitude, forKey: .latitude)
    try container.encode(position.coordinate.longitude, forKey: .longitude)
    try container.encode(position.accuracyMetres, forKey: .accuracy)
    try container.encode(position.precision, forKey: .precision)
    try container.encode(position.recordedAt, forKey: .recordedAt)
    try container.encode(position.age(at: now), forKey: .age)
    try container.encode(distance, forKey: .distance)
    try container.encode(near?.title, forKey: .near)
    try container.encode(position.speed, forKey: .speed)
    try container.encode(position.course, forKey: .course)
    try container.encode(position.battery, forKey: .battery)
  }
}

extension WhereRow {
  /// Metres from me, rounded to what is known; nil if my position is not known.
  private var distance: Double? {
    me.map {
      GeoText.rounded(
        $0.distance(to: position.coordinate), uncertainty: position.uncertaintyMetres)
    }
  }
}

/// My position and the sharing settings.
struct SharingReport: Encodable {
  var here: LocationFix?
  var ghost: GhostPhase?
  var heldBack: HeldBackRow?
  var rows: [LocationSharingRecord]
  var links: [WatchLinkRecord]

  enum CodingKeys: String, CodingKey {
    case here, ghost, sharing, links
    case heldBack = "held_back"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(here.map(HereRow.init), forKey: .here)
    try container.encode(ghost, forKey: .ghost)
    try container.encode(heldBack, forKey: .heldBack)
    try container.encode(rows.map(SharingRow.init), forKey: .sharing)
    try container.encode(
      links.map { LinkRow(WatchLink(record: $0)) }, forKey: .links)
  }
}

/// My own position, uncut, as this machine knows it.
struct HereRow: Encodable {
  let fix: LocationFix

  init(_ fix: LocationFix) { self.fix = fix }

  enum CodingKeys: String, CodingKey {
    case latitude, longitude, source, place
    case accuracy = "accuracy_m"
    case recordedAt = "recorded_at"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fix.coordinate.latitude, forKey: .latitude)
    try container.encode(fix.coordinate.longitude, forKey: .longitude)
    try container.encode(fix.source, forKey: .source)
    try container.encode(fix.placeName, forKey: .place)
    try container.encode(fix.accuracyMetres, forKey: .accuracy)
    try container.encode(fix.recordedAt, forKey: .recordedAt)
  }
}

/// The sharing setting of one friend; the default has no username.
struct SharingRow: Encodable {
  let row: LocationSharingRecord

  init(_ row: LocationSharingRecord) { self.row = row }

  enum CodingKeys: String, CodingKey {
    case username, mode, until
    case displayName = "display_name"
    case isDefault = "is_default"
    case wayUntil = "way_until"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(row.username, forKey: .username)
    try container.encode(row.displayName, forKey: .displayName)
    try container.encode(row.mode, forKey: .mode)
    try container.encode(row.until, forKey: .until)
    try container.encode(row.isDefault, forKey: .isDefault)
    try container.encode(row.wayUntil, forKey: .wayUntil)
  }
}

/// A position exactly as the friend gets it from the server.
struct SeenRow: Encodable {
  let record: LocationRecord

  init(_ record: LocationRecord) { self.record = record }

  enum CodingKeys: String, CodingKey {
    case latitude, longitude, speed, course, battery, source, precision
    case accuracy = "accuracy_m"
    case recordedAt = "recorded_at"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(record.latitude, forKey: .latitude)
    try container.encode(record.longitude, forKey: .longitude)
    try container.encode(record.accuracyMetres, forKey: .accuracy)
    try container.encode(record.speed, forKey: .speed)
    try container.encode(record.course, forKey: .course)
    try container.encode(record.battery, forKey: .battery)
    try container.encode(record.recordedAt, forKey: .recordedAt)
    try container.encode(record.source, forKey: .source)
    try container.encode(record.precision, forKey: .precision)
  }
}
