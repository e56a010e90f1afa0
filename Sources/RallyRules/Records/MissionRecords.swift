import Foundation
import RallyStorage
import RallyWire

package enum MissionRecords {
  private static let columns = StoredMission.table.columns

  package static func find(_ id: String, in database: Database) throws -> StoredMission? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM missions m WHERE m.id = ?", arguments: [id]
    ).map(StoredMission.init)
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
  static func around(
    _ user: String, limit: Int, in database: Database
  ) throws -> [StoredMission] {
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
