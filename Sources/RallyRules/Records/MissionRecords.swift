import Foundation
import RallyStorage
import RallyWire

package enum MissionRecords {
  private static let columns = StoredMission.table.columns

  package static func find(_ id: String, in database: Database) throws -> StoredMission? {
    try StoredMission.table.row(where: "m.id = ?", [id], in: database).map(StoredMission.init)
  }

  package static func insert(_ mission: StoredMission, in database: Database) throws {
    try StoredMission.table.insert(into: database, mission.value)
  }

  /// Stores the mission, and updates the copies of its place in `mission_members`.
  package static func update(_ mission: StoredMission, in database: Database) throws {
    try StoredMission.table.update(in: database, mission.value)
    let z = ZOrder(mission.centre).value
    try database.execute(
      sql: "UPDATE mission_members SET z = ? WHERE mission_id = ? AND z <> ?",
      arguments: [z, mission.key, z])
  }

  static func openCount(
    by creator: String, at time: WireTime, in database: Database
  ) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM missions
        WHERE creator = ? AND (next_starts_at IS NOT NULL
          OR state = 'open' AND (ends_at IS NULL OR ends_at > ?))
        """, arguments: [creator, time.microseconds]) ?? 0
  }

  /// Series whose occurrence is over, and which take place again.
  static func seriesOver(at time: WireTime, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT id FROM missions WHERE next_starts_at IS NOT NULL AND ends_at <= ? ORDER BY id
        """, arguments: [time.microseconds])
  }

  /// When the next occurrence of any series is over; nil without one.
  package static func earliestEndOfSeries(in database: Database) throws -> WireTime? {
    try Int64.fetchOne(
      database, sql: "SELECT min(ends_at) FROM missions WHERE next_starts_at IS NOT NULL"
    ).map(WireTime.init(microseconds:))
  }

  package static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM missions WHERE id = ?", arguments: [id])
  }

  // MARK: - Lists

  /// Open missions that a person joined or is invited to, the one that ends first on top, without
  /// invitations by people who block the person or are blocked by them.
  package static func open(
    of user: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    try list(
      """
      m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > :now)
        AND (mine.state = 'joined'
          OR (mine.state = 'invited' AND m.visibility <> 'private'
            AND m.creator NOT IN (\(BlockRecords.hidden))))
      ORDER BY m.ends_at IS NULL, m.ends_at, m.starts_at, m.id
      """, of: user, at: time, slice: slice, in: database)
  }

  /// Missions that a person was in and that are over, the newest first. One that was completed by
  /// a blocked or blocking person is sorted by its own times.
  static func over(
    of user: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    try list(
      """
      mine.state = 'joined' AND (m.state <> 'open' OR m.ends_at <= :now)
      ORDER BY coalesce(
        CASE WHEN m.closed_by IN (\(BlockRecords.hidden)) THEN NULL ELSE m.closed_at END,
        m.ends_at, m.created_at) DESC, m.id
      """, of: user, at: time, slice: slice, in: database)
  }

  /// - Parameter condition: What follows WHERE, with the order.
  private static func list(
    _ condition: String, of user: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns)
        FROM mission_members mine JOIN missions m ON m.id = mine.mission_id
        WHERE mine.user_id = :me AND \(condition) LIMIT :limit OFFSET :offset
        """,
      arguments: [
        "me": user, "now": time.microseconds, "limit": slice.limit, "offset": slice.offset,
      ]
    ).map(StoredMission.init)
  }

  /// Removes a deleted user's name from missions that they completed. If a member was hidden from
  /// them, the time is removed as well: without the name that member would see it.
  static func forget(closer user: String, in database: Database) throws {
    try database.execute(
      sql: """
        UPDATE missions SET closed_at = NULL
        WHERE closed_by = :me AND EXISTS (SELECT 1 FROM mission_members b
          WHERE b.mission_id = missions.id AND b.user_id IN (\(BlockRecords.hidden)))
        """, arguments: ["me": user])
    try database.execute(
      sql: "UPDATE missions SET closed_by = NULL WHERE closed_by = ?", arguments: [user])
  }

  /// The missions with any trace of a user: created, joined, invited, or active in.
  static func touched(by user: String, in database: Database) throws -> [String] {
    try String.fetchAll(
      database,
      sql: """
        SELECT mission_id FROM mission_members WHERE user_id = :me OR brought_by = :me
        UNION SELECT id FROM missions WHERE creator = :me
        UNION SELECT mission_id FROM mission_activity WHERE user_id = :me
        UNION SELECT o.mission_id FROM check_ins c JOIN objectives o ON o.id = c.objective_id
          WHERE c.user_id = :me
        ORDER BY 1
        """, arguments: ["me": user])
  }

  /// The missions that a user is part of or whose creators are friends, oldest first; visibility is
  /// not checked.
  static func around(_ user: String, limit: Int, in database: Database) throws -> [StoredMission] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns) FROM missions m
        WHERE m.id IN (
          SELECT mission_id FROM mission_members WHERE user_id = :me
          UNION SELECT shared.id FROM missions shared
          WHERE shared.visibility = 'friends' AND shared.creator IN (
            \(FriendRecords.friendIDs)))
        ORDER BY m.created_at, m.id LIMIT :limit
        """, arguments: ["me": user, "limit": limit]
    ).map(StoredMission.init)
  }
}

/// The key of a change of `missions`: the mission, and optionally the user who caused the change.
package struct MissionKey: Hashable, Sendable {
  package let mission: String
  /// Readers from whom this user is hidden do not receive the change; nil for all readers.
  package let person: String?

  var text: String { person.map { "\(mission) \($0)" } ?? mission }
}

extension MissionKey {
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    mission = parts.first ?? ""
    person = parts.count > 1 ? parts[1] : nil
  }
}

/// A row of `missions`. `MissionAccess` decides what a reader sees of it.
package struct StoredMission: Hashable, Sendable, HasMissionFields {
  let id: UUID
  /// The creator's id as text; nil once the account is deleted.
  var creator: String?
  package var fields: MissionFields
  package var state = MissionState.open
  let createdAt: WireTime
  var closedAt: WireTime?
  /// Who completed it, as text: readers from whom that user is hidden do not see `closedAt`. nil
  /// for a mission that is not completed by a member.
  var closedBy: String?
  var version: Int64 = 1

  /// What is stored has a place: a row and a call without one are refused.
  package var centre: Coordinate { fields.centre ?? .unmeasured }
  /// The id in storage.
  package var key: String { id.wireText }

  package func phase(at time: WireTime) -> MissionPhase {
    MissionPhase(state: state, startsAt: startsAt, endsAt: endsAt, at: time)
  }

  func isClosed(byOneOf people: Set<String>) -> Bool { closedBy.map(people.contains) ?? false }

  func isCreated(byOneOf people: Set<String>) -> Bool { creator.map(people.contains) ?? false }

  /// When it was over, by its state or its end; nil while it is open and if the reader may not know
  /// the time.
  ///
  /// - Parameter hidden: Users hidden from the reader.
  func over(at time: WireTime, hidden: Set<String>) -> WireTime? {
    if phase(at: time).isOpen { return nil }
    return (isClosed(byOneOf: hidden) ? nil : closedAt) ?? endsAt
  }
}

/// Stored as JSON.
extension MissionSeries: SQLConvertible {
  /// Texts, times and lists of them always encode.
  package var sqlValue: SQLValue { (try? WireJSON.text(self)).map(SQLValue.text) ?? .null }

  package init?(_ value: SQLValue) {
    guard case .text(let text) = value,
      let series = try? WireJSON.decode(MissionSeries.self, from: Data(text.utf8))
    else { return nil }
    self = series
  }
}

// MARK: - Columns

extension StoredMission {
  /// The columns of `missions`. `z` is the centre's place on a Z-order curve.
  package enum Column: Int, TableColumn {
    case id, creator, title, brief, latitude, longitude, radiusM, startsAt, endsAt, capacity
    case visibility, state, createdAt, closedAt, version, closedBy, series, isLive, z, nextStartsAt
  }

  static let table = StoredTable<Column>("missions", as: "m", key: [.id], unread: 2)

  init(_ row: Row) throws {
    guard let centre = try row.coordinate(Column.latitude, Column.longitude) else {
      throw StorageFailure.damaged("a mission has no place")
    }
    var fields = MissionFields(
      title: try row[Column.title], brief: try row[Column.brief], centre: centre,
      radiusMetres: try row[Column.radiusM], startsAt: try row[Column.startsAt],
      endsAt: try row[Column.endsAt])
    fields.series = try row[Column.series]
    fields.capacity = try row[Column.capacity]
    fields.visibility = try row[Column.visibility]
    fields.isLive = try row[Column.isLive] as Bool
    self.init(
      id: try row[Column.id], creator: try row[Column.creator], fields: fields,
      state: try row[Column.state], createdAt: try row[Column.createdAt],
      closedAt: try row[Column.closedAt], closedBy: try row[Column.closedBy],
      version: try row[Column.version])
  }

  package func value(of column: Column) -> (any SQLConvertible)? {
    switch column {
    case .id: id
    case .creator: creator
    case .title: title
    case .brief: brief
    case .latitude: centre.latitudeUnits
    case .longitude: centre.longitudeUnits
    case .radiusM: radiusMetres
    case .startsAt: startsAt
    case .endsAt: endsAt
    case .capacity: capacity
    case .visibility: visibility
    case .state: state
    case .createdAt: createdAt
    case .closedAt: closedAt
    case .version: version
    case .closedBy: closedBy
    case .series: series
    case .isLive: isLive ?? false
    case .z: ZOrder(centre).value
    case .nextStartsAt: series?.nextStartsAt
    }
  }
}

/// A row of `objectives` with its latest check-in.
struct StoredObjective: Hashable, Sendable {
  let id: UUID
  var title: String
  /// nil for the mission's place.
  var place: Coordinate?
  /// Metres; nil for the mission's radius.
  var radiusMetres: Double?
  /// The number of check-ins that complete it.
  var needed: Int
  /// The number of check-ins so far.
  var checkIns = 0
  var lastBy: String?
  var lastAt: WireTime?

  var isDone: Bool { checkIns >= needed }

  /// Whether both have the same definition, apart from check-ins.
  func isSame(as other: StoredObjective) -> Bool {
    id == other.id && title == other.title && place == other.place
      && radiusMetres == other.radiusMetres && needed == other.needed
  }
}

package struct StoredMember: Hashable, Sendable {
  let userID: String
  package var state: MissionMembership
  /// Who brought them: the inviter, the maker of the code, or the creator as their friend.
  var broughtBy: String
  var joinedAt: WireTime?
  /// Grows with every change of the row.
  var version: Int64 = 1
}
