import Foundation
import RallyWire

/// The tables `objectives` and `check_ins`.
///
/// Check-ins of an objective are numbered from one, so that the latest row says how many there are.
/// A row has nothing of the place where it was made.
enum ObjectiveRecords {
  /// The objectives of a mission in their order.
  static func all(of mission: String, in database: Database) throws -> [StoredObjective] {
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT o.id, o.title, o.latitude, o.longitude, o.radius_m, o.needed, c.number, c.user_id, c.at
        FROM objectives o LEFT JOIN check_ins c ON c.objective_id = o.id
          AND c.number = (SELECT max(number) FROM check_ins WHERE objective_id = o.id)
        WHERE o.mission_id = ? ORDER BY o.position
        """, arguments: [mission])
    return try rows.map { row in
      guard let id = UUID(uuidString: row[0]) else {
        throw StorageFailure.damaged("not an objective")
      }
      let latitude: Int64? = row[2]
      let longitude: Int64? = row[3]
      let lastAt: Int64? = row[8]
      let checkIns: Int? = row[6]
      return StoredObjective(
        id: id, title: row[1],
        place: latitude.flatMap { latitude in
          longitude.flatMap { Coordinate(latitudeUnits: latitude, longitudeUnits: $0) }
        },
        radiusMetres: row[4], needed: row[5], checkIns: checkIns ?? 0, lastBy: row[7],
        lastAt: lastAt.map(WireTime.init(microseconds:)))
    }
  }

  /// Makes these the objectives of a mission; those that stay keep their check-ins.
  static func replace(
    _ objectives: [StoredObjective], of mission: String, in database: Database
  ) throws {
    let kept = Set(objectives.map(\.id.wireText))
    let old = try String.fetchAll(
      database, sql: "SELECT id FROM objectives WHERE mission_id = ?", arguments: [mission])
    for id in old where !kept.contains(id) {
      try database.execute(sql: "DELETE FROM objectives WHERE id = ?", arguments: [id])
    }
    for (position, objective) in objectives.enumerated() {
      try database.execute(
        sql: """
          INSERT INTO objectives
            (id, mission_id, position, title, latitude, longitude, radius_m, needed)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT (id) DO UPDATE
          SET position = excluded.position, title = excluded.title, latitude = excluded.latitude,
            longitude = excluded.longitude, radius_m = excluded.radius_m, needed = excluded.needed
          """,
        arguments: [
          objective.id.wireText, mission, position, objective.title,
          objective.place?.latitudeUnits, objective.place?.longitudeUnits, objective.radiusMetres,
          objective.needed,
        ])
    }
  }

  static func insertCheckIn(
    _ number: Int, at objective: String, by user: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO check_ins (objective_id, number, user_id, at) VALUES (?, ?, ?, ?)",
      arguments: [objective, number, user, time.microseconds])
  }
}
