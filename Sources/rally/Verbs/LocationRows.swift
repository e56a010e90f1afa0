import RallyCommand
import RallyDomain
import RallySystem
import RallyWire
import RallyWords

// The rows that the location verbs print with `--json`. Scripts build on these names: nothing is
// renamed or left out, and what is unknown is null.

/// A friend's position, as exactly as they let me see it.
struct WhereRow: JSONRow {
  let position: FriendPosition
  /// nil if my position is not known.
  let me: Coordinate?
  /// The nearest city.
  let near: Place?
  let now: WireTime

  var members: [String: (any Encodable)?] {
    [
      "username": position.profile.username,
      "display_name": position.profile.displayName,
      "latitude": position.coordinate.latitude,
      "longitude": position.coordinate.longitude,
      "accuracy_m": position.accuracyMetres,
      "precision": position.precision,
      "recorded_at": position.recordedAt,
      "age": position.age(at: now),
      "distance_m": distance,
      "near": near?.title,
      "speed": position.speed,
      "course": position.course,
      "battery": position.battery,
    ]
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
struct SharingReport: JSONRow {
  var here: LocationFix?
  var ghost: GhostPhase?
  var heldBack: HeldBackRow?
  var rows: [LocationSharingRecord]
  var links: [WatchLinkRecord]

  var members: [String: (any Encodable)?] {
    [
      "here": here.map(HereRow.init),
      "ghost": ghost,
      "held_back": heldBack,
      "sharing": rows.map(SharingSettingRow.init),
      "links": links.map { LinkRow(WatchLink(record: $0)) },
    ]
  }
}

/// My own position, uncut, as this machine has it.
struct HereRow: JSONRow {
  let fix: LocationFix

  init(_ fix: LocationFix) { self.fix = fix }

  var members: [String: (any Encodable)?] {
    [
      "latitude": fix.coordinate.latitude,
      "longitude": fix.coordinate.longitude,
      "source": fix.source,
      "place": fix.placeName,
      "accuracy_m": fix.accuracyMetres,
      "recorded_at": fix.recordedAt,
    ]
  }
}

/// The sharing setting of one friend; the default has no username.
struct SharingSettingRow: JSONRow {
  let row: LocationSharingRecord

  init(_ row: LocationSharingRecord) { self.row = row }

  var members: [String: (any Encodable)?] {
    [
      "username": row.username,
      "display_name": row.displayName,
      "mode": row.mode,
      "until": row.until,
      "is_default": row.isDefault,
      "way_until": row.wayUntil,
    ]
  }
}

/// A position exactly as the friend gets it from the server.
struct SeenRow: JSONRow {
  let record: LocationRecord

  init(_ record: LocationRecord) { self.record = record }

  var members: [String: (any Encodable)?] {
    [
      "latitude": record.latitude,
      "longitude": record.longitude,
      "accuracy_m": record.accuracyMetres,
      "speed": record.speed,
      "course": record.course,
      "battery": record.battery,
      "recorded_at": record.recordedAt,
      "source": record.source,
      "precision": record.precision,
    ]
  }
}

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

extension CommandSession {
  /// Prints my position as a person sees it on a map, or the rule that withholds it and what to do.
  ///
  /// - Throws: `NetworkError`, or what printing throws.
  func explainPosition(to reader: Username) async throws {
    let isGhostPending = await services.ghostService.isPending()
    let seen = try await services.locationsService.fetchOwnPosition(
      seenBy: reader, isGhostPending: isGhostPending)
    let explanation = PositionExplanation(reader: reader, seen: seen)
    if output.options.json { return try output.json(explanation) }
    switch seen {
    case .success(let location):
      output.table([location.cells(at: .now)])
      output.message(explanation.sentence)
    case .failure:
      output.data(explanation.sentence)
      if let advice = explanation.advice { output.message(advice) }
    }
    if isGhostPending {
      output.message("The server does not know yet that you are a ghost; `rally` tells it.")
    }
  }
}

/// Why a person sees my position or does not. Scripts build on these names: nothing is renamed or
/// left out, and what is unknown is null.
private struct PositionExplanation: JSONRow {
  let reader: Username
  let seen: Result<LocationRecord, WithheldReason>

  /// nil while the person sees the position.
  private var reason: WithheldReason? {
    if case .failure(let reason) = seen { reason } else { nil }
  }

  var sentence: String {
    reason?.sentence(about: "@\(reader)") ?? "@\(reader) sees your position."
  }

  /// What to do; nil while the person sees the position.
  var advice: String? { reason?.advice(about: reader.value) }

  var members: [String: (any Encodable)?] {
    [
      "username": reader,
      "visible": reason == nil,
      "reason": reason,
      "sentence": sentence,
      "advice": advice,
      "location": (try? seen.get()).map(SeenRow.init),
    ]
  }
}
