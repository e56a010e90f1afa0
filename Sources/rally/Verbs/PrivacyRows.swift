import RallyDomain
import RallySystem
import RallyWire

// The rows that the verbs of zones and hours print with `--json`: what is unknown is null.

/// A zone: its circle, and what it protects.
struct PrivacyZoneRow: Encodable {
  let zone: PrivacyZone
  let isWithAccount: Bool

  enum CodingKeys: String, CodingKey {
    case name, latitude, longitude, leaves, kept
    case radius = "radius_m"
    case distance = "protects_m"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(zone.name, forKey: .name)
    try container.encode(zone.centre.latitude, forKey: .latitude)
    try container.encode(zone.centre.longitude, forKey: .longitude)
    try container.encode(zone.radiusMetres, forKey: .radius)
    try container.encode(zone.protectedDistance, forKey: .distance)
    try container.encode(zone.allows, forKey: .leaves)
    try container.encode(isWithAccount ? "account" : "machine", forKey: .kept)
  }
}

/// Hours of the week, as typed, and whose clock they follow.
struct SharingHoursRow: Encodable {
  let hours: SharingHours
  let timeZone: String
  let isWithAccount: Bool

  enum CodingKeys: String, CodingKey {
    case name, hours, kept
    case timeZone = "time_zone"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(hours.name, forKey: .name)
    try container.encode(hours.sentence, forKey: .hours)
    try container.encode(timeZone, forKey: .timeZone)
    try container.encode(isWithAccount ? "account" : "machine", forKey: .kept)
  }
}

/// What is held back of where I am, and why.
struct HeldBackRow: Encodable {
  let limit: PrivacyLimit

  /// nil while nothing is held back.
  init?(_ limit: PrivacyLimit) {
    guard limit.reason != nil else { return nil }
    self.limit = limit
  }

  enum CodingKeys: String, CodingKey { case reason, zone, leaves }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    let (word, zone): (String?, String?) =
      switch limit.reason {
      case .zone(let name): ("zone", name)
      case .hours: ("hours", nil)
      case .unreadable: ("unreadable", nil)
      case nil: (nil, nil)
      }
    try container.encode(word, forKey: .reason)
    try container.encode(zone, forKey: .zone)
    try container.encode(
      limit.mode == .off ? PrivacyZone.Allowance.nothing : .city, forKey: .leaves)
  }
}
