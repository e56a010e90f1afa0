import Foundation
import RallyStorage
import RallyWire

/// The tables `objectives` and `check_ins`.
///
/// Check-ins of an objective are numbered from one, so that the latest row has their count. Rows
/// contain no place.
enum ObjectiveRecords {
  private enum Column: Int, TableColumn {
    case id, title, latitude, longitude, radiusM, needed, missionID, position
  }

  private static let table = StoredTable<Column>("objectives", as: "o", key: [.id], unread: 2)

  /// The objectives of a mission in their order.
  static func all(of mission: String, in database: Database) throws -> [StoredObjective] {
    try Row.fetchAll(
      database,
      sql: """
        SELECT \(table.columns), c.number AS check_ins, c.user_id AS last_by, c.at AS last_at
        FROM objectives o LEFT JOIN check_ins c ON c.objective_id = o.id
          AND c.number = (SELECT max(number) FROM check_ins WHERE objective_id = o.id)
        WHERE o.mission_id = ? ORDER BY o.position
        """, arguments: [mission]
    ).map { row in
      StoredObjective(
        id: try row[Column.id], title: try row[Column.title],
        place: try row.coordinate(Column.latitude, Column.longitude),
        radiusMetres: try row[Column.radiusM], needed: try row[Column.needed],
        checkIns: try row["check_ins"] ?? 0, lastBy: try row["last_by"],
        lastAt: try row["last_at"])
    }
  }

  /// Replaces the objectives of a mission; those that stay keep their check-ins.
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
      try table.upsert(into: database) { column in
        switch column {
        case .id: objective.id
        case .title: objective.title
        case .latitude: objective.place?.latitudeUnits
        case .longitude: objective.place?.longitudeUnits
        case .radiusM: objective.radiusMetres
        case .needed: objective.needed
        case .missionID: mission
        case .position: position
        }
      }
    }
  }

  static func deleteCheckIns(of mission: String, in database: Database) throws {
    try database.execute(
      sql: """
        DELETE FROM check_ins
        WHERE objective_id IN (SELECT id FROM objectives WHERE mission_id = ?)
        """, arguments: [mission])
  }

  static func insertCheckIn(
    _ number: Int, at objective: String, by user: String, at time: WireTime, in database: Database
  ) throws {
    try database.execute(
      sql: "INSERT INTO check_ins (objective_id, number, user_id, at) VALUES (?, ?, ?, ?)",
      arguments: [objective, number, user, time.microseconds])
  }
}
