import Foundation
import RallyWire

/// The table `locations`: one row per person, the last position only.
enum LocationRecords {
  private static let names =
    [
      "user_id", "stored_as", "latitude", "longitude", "accuracy_m", "speed",
      "course", "battery", "recorded_at", "source", "version",
    ] + cellNames(of: "fine") + cellNames(of: "coarse")

  private static func cellNames(of level: String) -> [String] {
    ["row", "column", "since", "version", "mark", "next_row", "next_column", "next_mark", "due"]
      .map { "\(level)_\($0)" }
  }

  static let columns = names.map { "l.\($0)" }.joined(separator: ", ")
  /// How many `columns` there are.
  static let columnCount = names.count

  /// Reads `columns` from the start of a row.
  static func location(_ row: Row) throws -> StoredLocation {
    guard let userID = UUID(uuidString: row[0]), let precision = SharingMode(rawValue: row[1]),
      let place = Coordinate(latitudeUnits: row[2], longitudeUnits: row[3]),
      let coarse = announced(.tenKilometres, row, at: 20)
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

  private static func announced(_ level: GridLevel, _ row: Row, at index: Int) -> AnnouncedCell? {
    guard let cell = cell(level, row, at: index), let since: Int64 = row[index + 2],
      let version: Int64 = row[index + 3]
    else { return nil }
    let (mark, nextMark): (String?, String?) = (row[index + 4], row[index + 7])
    var announced = AnnouncedCell(
      cell: cell, since: WireTime(microseconds: since), version: version, mark: mark ?? "")
    if let next = self.cell(level, row, at: index + 5), let due: Int64 = row[index + 8] {
      announced.pending = .init(
        cell: next, mark: nextMark ?? "", due: WireTime(microseconds: due))
    }
    return announced
  }

  private static func cell(_ level: GridLevel, _ row: Row, at index: Int) -> GridCell? {
    guard let cellRow: Int64 = row[index], let column: Int64 = row[index + 1] else { return nil }
    return GridCell(level: level, row: cellRow, column: column)
  }

  private static func values(of announced: AnnouncedCell?) -> StatementArguments {
    let next = announced?.pending
    return [
      announced?.cell.row, announced?.cell.column, announced?.since.microseconds,
      announced?.version, announced?.mark, next?.cell.row, next?.cell.column, next?.mark,
      next?.due.microseconds,
    ]
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
    let marks = Array(repeating: "?", count: columnCount + 1).joined(separator: ", ")
    var arguments: StatementArguments = [
      userID, location.precision.rawValue, location.coordinate.latitudeUnits,
      location.coordinate.longitudeUnits, details?.accuracyMetres, details?.speed,
      details?.course, details?.battery, location.recordedAt.microseconds,
      details?.source ?? "", location.version,
    ]
    arguments += values(of: location.fine)
    arguments += values(of: location.coarse)
    arguments += [location.nextMove?.microseconds]
    try database.execute(
      sql: """
        INSERT INTO locations (\(names.joined(separator: ", ")), next_move) VALUES (\(marks))
        """, arguments: arguments)
  }

  // MARK: - Moves

  /// When the next move is announced; nil when none waits.
  static func earliestMove(in database: Database) throws -> WireTime? {
    try Int64.fetchOne(
      database, sql: "SELECT min(next_move) FROM locations WHERE next_move IS NOT NULL"
    ).map(WireTime.init(microseconds:))
  }

  /// Whose moves are due.
  static func moving(at time: WireTime, in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT user_id FROM locations WHERE next_move <= ? ORDER BY user_id",
      arguments: [time.microseconds])
  }
}
