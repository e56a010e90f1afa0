import Foundation
import RallyWire

/// The table `locations`: one row per person, the last position only.
enum LocationRecords {
  static let columns = """
    l.user_id, l.stored_as, l.latitude, l.longitude, l.accuracy_m, l.speed, l.course, l.battery,
    l.recorded_at, l.source, l.version, l.fine_row, l.fine_column, l.fine_since, l.fine_version,
    l.coarse_row, l.coarse_column, l.coarse_since, l.coarse_version
    """
  /// How many `columns` there are.
  static let columnCount = 19

  /// Reads `columns` from the start of a row.
  static func location(_ row: Row) throws -> StoredLocation {
    guard let userID = UUID(uuidString: row[0]), let precision = SharingMode(rawValue: row[1]),
      let place = Coordinate(latitudeUnits: row[2], longitudeUnits: row[3]),
      let coarse = announced(.tenKilometres, row, at: 15)
    else { throw StorageFailure.damaged("not a location") }
    return StoredLocation(
      userID: userID, precision: precision, coordinate: place,
      details: precision == .precise
        ? .init(
          accuracyMetres: row[4], speed: row[5], course: row[6], battery: row[7], source: row[9])
        : nil,
      recordedAt: WireTime(microseconds: row[8]), version: row[10],
      fine: announced(.oneKilometre, row, at: 11), coarse: coarse)
  }

  private static func announced(
    _ level: GridLevel, _ row: Row, at index: Int
  ) -> StoredLocation.Announced? {
    guard let cellRow: Int64 = row[index], let column: Int64 = row[index + 1],
      let since: Int64 = row[index + 2], let version: Int64 = row[index + 3],
      let cell = GridCell(level: level, row: cellRow, column: column)
    else { return nil }
    return .init(cell: cell, since: WireTime(microseconds: since), version: version)
  }

  static func find(_ userID: String, in database: Database) throws -> StoredLocation? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM locations l WHERE l.user_id = ?", arguments: [userID]
    ).map(location)
  }

  /// Puts the row in the place of the one before; nil removes it.
  static func replace(
    _ location: StoredLocation?, of userID: String, in database: Database
  ) throws {
    try database.execute(sql: "DELETE FROM locations WHERE user_id = ?", arguments: [userID])
    guard let location else { return }
    let details = location.details
    let marks = Array(repeating: "?", count: columnCount).joined(separator: ", ")
    try database.execute(
      sql: """
        INSERT INTO locations
          (user_id, stored_as, latitude, longitude, accuracy_m, speed, course, battery,
           recorded_at, source, version, fine_row, fine_column, fine_since, fine_version,
           coarse_row, coarse_column, coarse_since, coarse_version)
        VALUES (\(marks))
        """,
      arguments: [
        userID, location.precision.rawValue, location.coordinate.latitudeUnits,
        location.coordinate.longitudeUnits, details?.accuracyMetres, details?.speed,
        details?.course, details?.battery, location.recordedAt.microseconds,
        details?.source ?? "", location.version,
        location.fine?.cell.row, location.fine?.cell.column,
        location.fine?.since.microseconds, location.fine?.version, location.coarse.cell.row,
        location.coarse.cell.column, location.coarse.since.microseconds,
        location.coarse.version,
      ])
  }
}
