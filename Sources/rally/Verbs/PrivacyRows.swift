import RallyCommand
import RallyDomain
import RallySystem
import RallyWire

// The rows that the verbs of zones and hours print with `--json`: what is unknown is null.

/// A zone: its circle, and what it protects.
struct PrivacyZoneRow: JSONRow {
  let zone: PrivacyZone
  let isWithAccount: Bool

  var members: [String: (any Encodable)?] {
    [
      "name": zone.name,
      "latitude": zone.centre.latitude,
      "longitude": zone.centre.longitude,
      "radius_m": zone.radiusMetres,
      "protects_m": zone.protectedDistance,
      "leaves": zone.allows,
      "kept": isWithAccount ? "account" : "machine",
    ]
  }
}

/// Hours of the week, as typed, and whose clock they follow.
struct SharingHoursRow: JSONRow {
  let hours: SharingHours
  let timeZone: String
  let isWithAccount: Bool

  var members: [String: (any Encodable)?] {
    [
      "name": hours.name,
      "hours": hours.sentence,
      "time_zone": timeZone,
      "kept": isWithAccount ? "account" : "machine",
    ]
  }
}

/// What is held back of where I am, and why.
struct HeldBackRow: JSONRow {
  let limit: PrivacyLimit

  /// nil while nothing is held back.
  init?(_ limit: PrivacyLimit) {
    guard limit.reason != nil else { return nil }
    self.limit = limit
  }

  var members: [String: (any Encodable)?] {
    let (word, zone): (String?, String?) =
      switch limit.reason {
      case .zone(let name): ("zone", name)
      case .hours: ("hours", nil)
      case .unreadable: ("unreadable", nil)
      case nil: (nil, nil)
      }
    return [
      "reason": word,
      "zone": zone,
      "leaves": limit.mode == .off ? PrivacyZone.Allowance.nothing : PrivacyZone.Allowance.city,
    ]
  }
}
