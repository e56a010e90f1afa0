import RallyCommand
import RallyDomain
import RallyWire

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
      "sharing": rows.map(SharingRow.init),
      "links": links.map { LinkRow(WatchLink(record: $0)) },
    ]
  }
}

/// My own position, uncut, as this machine knows it.
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
struct SharingRow: JSONRow {
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
