import Foundation
import RallyWire

/// The table `missions`.
enum MissionRecords {
  static let columns = """
    m.id, m.creator, m.title, m.brief, m.latitude, m.longitude, m.radius_m, m.starts_at, m.ends_at,
    m.capacity, m.visibility, m.state, m.created_at, m.closed_at, m.version,
    m.closed_by
    """
  /// How many `columns` there are.
  static let columnCount = 16

  /// Reads `columns` from the start of a row.
  static func mission(_ row: Row) throws -> StoredMission {
    guard let id = UUID(uuidString: row[0]),
      let centre = Coordinate(latitudeUnits: row[4], longitudeUnits: row[5]),
      let visibility = MissionVisibility(rawValue: row[10]),
      let state = MissionState(rawValue: row[11])
    else { throw StorageFailure.damaged("not a mission") }
    let endsAt: Int64? = row[8]
    let closedAt: Int64? = row[13]
    return StoredMission(
      id: id, creator: row[1], title: row[2], brief: row[3], centre: centre, radiusMetres: row[6],
      startsAt: WireTime(microseconds: row[7]), endsAt: endsAt.map(WireTime.init(microseconds:)),
      capacity: row[9], visibility: visibility, state: state,
      createdAt: WireTime(microseconds: row[12]),
      closedAt: closedAt.map(WireTime.init(microseconds:)), closedBy: row[15], version: row[14])
  }

  static func find(_ id: String, in database: Database) throws -> StoredMission? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM missions m WHERE m.id = ?", arguments: [id]
    ).map(mission)
  }

  static func insert(_ mission: StoredMission, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO missions
          (id, creator, title, brief, latitude, longitude, radius_m, starts_at, ends_at, capacity,
           visibility, state, created_at, closed_at, version, z)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        mission.key, mission.creator, mission.title, mission.brief, mission.centre.latitudeUnits,
        mission.centre.longitudeUnits, mission.radiusMetres, mission.startsAt.microseconds,
        mission.endsAt?.microseconds, mission.capacity, mission.visibility.rawValue,
        mission.state.rawValue, mission.createdAt.microseconds, mission.closedAt?.microseconds,
        mission.version, ZOrder(mission.centre).value,
      ])
  }

  /// Stores everything that can change, and moves the copies of its place along.
  static func update(_ mission: StoredMission, in database: Database) throws {
    let z = ZOrder(mission.centre).value
    try database.execute(
      sql: """
        UPDATE missions
        SET creator = ?, title = ?, brief = ?, latitude = ?, longitude = ?, radius_m = ?, starts_at = ?,
          ends_at = ?, capacity = ?, visibility = ?, state = ?, closed_at = ?, closed_by = ?,
          version = ?, z = ?
        WHERE id = ?
        """,
      arguments: [
        mission.creator, mission.title, mission.brief, mission.centre.latitudeUnits,
        mission.centre.longitudeUnits, mission.radiusMetres, mission.startsAt.microseconds,
        mission.endsAt?.microseconds, mission.capacity, mission.visibility.rawValue,
        mission.state.rawValue,
        mission.closedAt?.microseconds, mission.closedBy, mission.version, z, mission.key,
      ])
    try database.execute(
      sql: "UPDATE mission_members SET z = ? WHERE mission_id = ? AND z <> ?",
      arguments: [z, mission.key, z])
  }

  /// How many of somebody's own are not over.
  static func openCount(
    by creator: String, at time: WireTime, in database: Database
  ) throws -> Int {
    try Int.fetchOne(
      database,
      sql: """
        SELECT count(*) FROM missions
        WHERE creator = ? AND state = 'open' AND (ends_at IS NULL OR ends_at > ?)
        """, arguments: [creator, time.microseconds]) ?? 0
  }

  static func delete(_ id: String, in database: Database) throws {
    try database.execute(sql: "DELETE FROM missions WHERE id = ?", arguments: [id])
  }

  // MARK: - Lists

  /// Missions that a person joined or is invited to and that are not over, the one that ends first
  /// on top; invitations by those whom the person does not exist for are left out.
  static func open(
    of user: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns)
        FROM mission_members mine JOIN missions m ON m.id = mine.mission_id
        WHERE mine.user_id = :me AND m.state = 'open' AND (m.ends_at IS NULL OR m.ends_at > :now)
          AND (mine.state = 'joined'
            OR (mine.state = 'invited' AND m.visibility <> 'private'
              AND m.creator NOT IN (\(BlockRecords.hidden))))
        ORDER BY m.ends_at IS NULL, m.ends_at, m.starts_at, m.id LIMIT :limit OFFSET :offset
        """,
      arguments: [
        "me": user, "now": time.microseconds, "limit": slice.limit, "offset": slice.offset,
      ]
    ).map(mission)
  }

  /// Missions that a person was in and that are over, the newest first. One that was completed by
  /// somebody who does not exist for the person stands where its own times put it.
  static func over(
    of user: String, at time: WireTime, slice: Slice, in database: Database
  ) throws -> [StoredMission] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(columns)
        FROM mission_members mine JOIN missions m ON m.id = mine.mission_id
        WHERE mine.user_id = :me AND mine.state = 'joined'
          AND (m.state <> 'open' OR m.ends_at <= :now)
        ORDER BY coalesce(
          CASE WHEN m.closed_by IN (\(BlockRecords.hidden)) THEN NULL ELSE m.closed_at END,
          m.ends_at, m.created_at) DESC, m.id LIMIT :limit OFFSET :offset
        """,
      arguments: [
        "me": user, "now": time.microseconds, "limit": slice.limit, "offset": slice.offset,
      ]
    ).map(mission)
  }

  /// Whoever goes for good is named nowhere. Where somebody does not know of them, nobody learns any
  /// more when they completed the mission, since without the name that person would.
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

  /// The missions in which anything stands that a person made, did or was asked to.
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

  /// The missions that a person has to do with or whose creators are their friends, the oldest
  /// first; whether each may be seen is not decided here.
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
            SELECT larger FROM friendships WHERE smaller = :me AND status = 'accepted'
            UNION ALL SELECT smaller FROM friendships WHERE larger = :me AND status = 'accepted'))
        ORDER BY m.created_at, m.id LIMIT :limit
        """, arguments: ["me": user, "limit": limit]
    ).map(mission)
  }
}
