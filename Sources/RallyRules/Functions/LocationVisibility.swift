import Foundation
import RallyGate
import RallyStorage
import RallyWire

/// The visibility gate of positions: the only place that makes a `LocationRecord`.
///
/// Its result is the position as one reader sees it, or the rule that withholds it. Rows, events,
/// filters, order and versions all work on the record, never on the stored row.
package enum LocationVisibility {
  /// The position as a reader with this visibility sees it; nil for nothing.
  private static func record(
    of stored: StoredLocation, for visibility: ReaderVisibility
  ) -> LocationRecord? {
    let version = visibility.version(in: stored)
    if visibility.mode == .precise {
      guard let details = stored.details else { return nil }
      return LocationRecord(
        userID: stored.userID, coordinate: stored.coordinate,
        accuracyMetres: details.accuracyMetres, speed: details.speed, course: details.course,
        battery: details.battery, recordedAt: stored.recordedAt, source: details.source,
        precision: .precise, version: version)
    }
    guard let announced = stored.announced(for: visibility.mode) else { return nil }
    return LocationRecord(
      userID: stored.userID, coordinate: announced.cell.center,
      accuracyMetres: announced.cell.level.accuracyMetres, speed: nil, course: nil, battery: nil,
      recordedAt: announced.since, source: LocationReport.coarseSource, precision: visibility.mode,
      version: version)
  }

  /// The position as a reader sees it at this moment, by the clock: a share that ended counts no
  /// more, even before its end was announced.
  ///
  /// - Parameters:
  ///   - allowed: How precisely the reader may see it now, or why not at all.
  ///   - visibility: What the reader was last notified of.
  /// - Returns: The reason of `allowed`, or `noReport` if there is no stored position.
  package static func project(
    _ stored: StoredLocation?, allowed: Result<SharingMode, WithheldReason>,
    visibility: ReaderVisibility
  ) -> Result<LocationRecord, WithheldReason> {
    allowed.flatMap { mode in
      guard let stored else { return .failure(.noReport) }
      let next = visibility.next(min(mode, stored.precision), from: stored, to: stored)
      return record(of: stored, for: next).map(Result.success) ?? .failure(.noReport)
    }
  }

  /// A person's position as it is stored.
  static func ownLocation(of owner: String, in database: Database) throws -> LocationRecord? {
    let own = project(
      try LocationRecords.find(owner, in: database), allowed: .success(.precise),
      visibility: try ReaderVisibilityRecords.all(of: owner, in: database)[owner] ?? .none)
    return try? own.get()
  }

  /// The positions of a person's friends, and of members of missions who are on the way and show it
  /// to them, by their ids: any other order would reveal something.
  ///
  /// - Parameter isComing: Only of those who show or showed the reader a way to a mission.
  package static func friendLocations(
    for reader: String, isComing: Bool = false, at time: WireTime, in database: Database
  ) throws -> [LocationRecord] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT \(LocationRecords.columns), s.mode AS own_mode, s.until AS own_until,
          d.mode AS default_mode, d.until AS default_until, v.mode AS seen_mode, v.base AS seen_base,
          p.is_friend, p.is_followed, g.user_id AS ghost
        FROM (
          SELECT person, max(is_friend) AS is_friend, max(is_followed) AS is_followed
          FROM (
            SELECT CASE WHEN f.smaller = :me THEN f.larger ELSE f.smaller END AS person,
              1 AS is_friend, 0 AS is_followed
            FROM friendships f
            WHERE (f.smaller = :me OR f.larger = :me) AND f.status = 'accepted'
            UNION ALL
            SELECT w.owner, 0, 1 FROM (\(OnMyWayRecords.followed)) w) known
          GROUP BY person) p
        JOIN locations l ON l.user_id = p.person
        LEFT JOIN location_sharing s ON s.owner = l.user_id AND s.friend = :me
        LEFT JOIN location_sharing d ON d.owner = l.user_id AND d.friend = l.user_id
        LEFT JOIN ghosts g ON g.user_id = l.user_id
        LEFT JOIN location_sights v ON v.owner = l.user_id AND v.reader = :me
        \(isComing ? "WHERE p.person IN (SELECT owner FROM way_readers WHERE reader = :me)" : "")
        ORDER BY l.user_id
        """, arguments: ["me": reader, "now": time.microseconds])
    return try rows.compactMap { row in
      func sharing(_ kind: String) throws -> Sharing? {
        guard let mode: SharingMode = try row["\(kind)_mode"] else { return nil }
        return Sharing(mode: mode, until: try row["\(kind)_until"])
      }
      let ghost: String? = try row["ghost"]
      let permission = SharingPermission(
        own: try sharing("own"), default: try sharing("default"), hasEnded: false,
        isGhost: ghost != nil, at: time)
      let mode: SharingMode? = try row["seen_mode"]
      let isFriend: Bool = try row["is_friend"]
      let isFollowed: Bool = try row["is_followed"]
      let visible = project(
        try LocationRecords.location(row),
        allowed: isFollowed && ghost == nil
          ? .success(.precise) : isFriend ? permission.allowed : .failure(.notFriend),
        visibility: try mode.map { ReaderVisibility(mode: $0, base: try row["seen_base"]) } ?? .none
      )
      return try? visible.get()
    }
  }
}

/// The precision at which each reader may see a user's position at a given time. It comes of what
/// is shared with friends, and of what is shown to members of a mission on the way to it. The finer
/// one counts.
package struct LocationAudience: Sendable {
  package let owner: String
  /// What friends without a decision of their own may see.
  let general: SharingPermission
  /// By friend; friends who may see nothing are included.
  let friends: [String: SharingPermission]

  /// Whether nobody sees the owner, whatever is shared.
  let isGhost: Bool

  /// The members of missions who see the owner on the way there, with the end of that.
  let followers: [String: WireTime]

  /// The most precise mode of all readers.
  var limit: SharingMode {
    !followers.isEmpty
      ? .precise : friends.values.compactMap { try? $0.allowed.get() }.max() ?? .off
  }

  package init(of owner: String, at time: WireTime, in database: Database) throws {
    self.owner = owner
    let decisions = try SharingRecords.all(of: owner, in: database)
    isGhost = decisions.isGhost
    general = decisions.permission(for: nil, at: time)
    friends = try FriendRecords.friendIDs(of: owner, in: database).reduce(into: [:]) {
      $0[$1] = decisions.permission(for: $1, at: time)
    }
    followers = isGhost ? [:] : try OnMyWayRecords.readers(of: owner, at: time, in: database)
  }

  /// How precisely a reader may see the owner, or why not at all.
  ///
  /// The owner sees all that is stored, so that two terminals of one account agree; that alone
  /// is no reason to store anything.
  package func allowed(_ reader: String) -> Result<SharingMode, WithheldReason> {
    reader == owner || followers[reader] != nil
      ? .success(.precise) : friends[reader]?.allowed ?? .failure(.notFriend)
  }

  /// The same as a mode; `off` if the reader may see nothing.
  package func mode(for reader: String) -> SharingMode { (try? allowed(reader).get()) ?? .off }
}
