import Foundation
import RallyWire

/// What of a stored position a reader may touch: the only place that makes a `LocationRecord`.
///
/// Rows, events, filters, order and versions all work on the record, never on the stored row.
enum LocationVisibility {
  /// The source in a coarse record: the real one would tell of the device.
  static let coarseSource = "approximate"

  /// The position as somebody with this sight sees it; nil for nothing.
  static func project(_ stored: StoredLocation, for sight: ReaderVisibility) -> LocationRecord? {
    let version = sight.version(in: stored)
    if sight.mode == .precise {
      guard let details = stored.details else { return nil }
      return LocationRecord(
        userID: stored.userID, coordinate: stored.coordinate,
        accuracyMetres: details.accuracyMetres, speed: details.speed, course: details.course,
        battery: details.battery, recordedAt: stored.recordedAt, source: details.source,
        precision: .precise, version: version)
    }
    guard let announced = stored.announced(for: sight.mode) else { return nil }
    return LocationRecord(
      userID: stored.userID, coordinate: announced.cell.center,
      accuracyMetres: announced.cell.level.accuracyMetres, speed: nil, course: nil, battery: nil,
      recordedAt: announced.since, source: coarseSource, precision: sight.mode, version: version)
  }

  /// The position as a reader sees it at this moment, by the clock: a share that ended counts no
  /// more, even before its end was announced.
  ///
  /// - Parameters:
  ///   - allowed: How exact the reader may see it now.
  ///   - sight: What the reader was told last.
  static func project(
    _ stored: StoredLocation?, allowed: SharingMode, sight: ReaderVisibility
  ) -> LocationRecord? {
    guard let stored else { return nil }
    let visible = min(allowed, stored.precision)
    return project(stored, for: sight.next(visible, from: stored, to: stored))
  }

  /// What holds for a friend: their own setting while it lasts, or else the default while it lasts.
  static func sharing(
    own: Sharing?, default: Sharing?, at time: WireTime
  ) -> (sharing: Sharing, isDefault: Bool) {
    if let own, own.holds(at: time) { return (own, false) }
    if let `default`, `default`.holds(at: time) { return (`default`, true) }
    return (.unset, true)
  }

  /// The positions of a person's friends, by their ids: any other order would tell something.
  static func friendLocations(
    for reader: String, at time: WireTime, in database: Database
  ) throws -> [LocationRecord] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(LocationRecords.columns), s.mode, s.until, d.mode, d.until, v.mode, v.base
        FROM friendships f
        JOIN locations l
          ON l.user_id = CASE WHEN f.smaller = :me THEN f.larger ELSE f.smaller END
        LEFT JOIN location_sharing s ON s.owner = l.user_id AND s.friend = :me
        LEFT JOIN location_sharing d ON d.owner = l.user_id AND d.friend = l.user_id
        LEFT JOIN location_sights v ON v.owner = l.user_id AND v.reader = :me
        WHERE (f.smaller = :me OR f.larger = :me) AND f.status = 'accepted'
        ORDER BY l.user_id
        """, arguments: ["me": reader])
    let next = LocationRecords.columnCount
    return try rows.compactMap { row in
      let sharing = sharing(
        own: try SharingRecords.sharing(mode: row[next], until: row[next + 1]),
        default: try SharingRecords.sharing(mode: row[next + 2], until: row[next + 3]), at: time
      ).sharing
      return project(
        try LocationRecords.location(row), allowed: sharing.mode,
        sight: ReaderVisibilityRecords.sight(mode: row[next + 4], base: row[next + 5]))
    }
  }
}
