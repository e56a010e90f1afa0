import Foundation
import RallyGate
import RallyStorage
import RallyWire

/// The table `locations`: one row per person, the last position only.
package enum LocationRecords {
  fileprivate enum Column: Int, TableColumn {
    case userID, storedAs, latitude, longitude, accuracyM, speed, course, battery, recordedAt
    case source, version
    case fineRow, fineColumn, fineSince, fineVersion, fineMark
    case fineNextRow, fineNextColumn, fineNextMark, fineDue
    case coarseRow, coarseColumn, coarseSince, coarseVersion, coarseMark
    case coarseNextRow, coarseNextColumn, coarseNextMark, coarseDue
    case nextMove
  }

  private static let table = StoredTable<Column>("locations", as: "l", key: [.userID], unread: 1)
  static let columns = table.columns

  /// Reads a row that begins with `columns`.
  static func location(_ row: Row) throws -> StoredLocation {
    guard let place = try row.coordinate(Column.latitude, Column.longitude),
      let coarse = try CellColumns.coarse.cell(of: .tenKilometres, in: row)
    else { throw StorageFailure.damaged("not a location") }
    let precision: SharingMode = try row[Column.storedAs]
    return StoredLocation(
      userID: try row[Column.userID], precision: precision, coordinate: place,
      details: precision == .precise
        ? .init(
          accuracyMetres: try row[Column.accuracyM], speed: try row[Column.speed],
          course: try row[Column.course], battery: try row[Column.battery],
          source: try row[Column.source])
        : nil,
      recordedAt: try row[Column.recordedAt], version: try row[Column.version],
      fine: try CellColumns.fine.cell(of: .oneKilometre, in: row), coarse: coarse)
  }
  package static func find(_ userID: String, in database: Database) throws -> StoredLocation? {
    try Row.fetchOne(
      database, sql: "SELECT \(columns) FROM locations l WHERE l.user_id = ?", arguments: [userID]
    ).map(location)
  }

  /// Replaces a person's row; nil removes it.
  static func replace(
    _ location: StoredLocation?, of userID: String, in database: Database
  ) throws {
    try database.execute(sql: "DELETE FROM locations WHERE user_id = ?", arguments: [userID])
    guard let location else { return }
    let details = location.details
    try table.insert(into: database) { column in
      switch column {
      case .userID: userID
      case .storedAs: location.precision
      case .latitude: location.coordinate.latitudeUnits
      case .longitude: location.coordinate.longitudeUnits
      case .accuracyM: details?.accuracyMetres
      case .speed: details?.speed
      case .course: details?.course
      case .battery: details?.battery
      case .recordedAt: location.recordedAt
      case .source: details?.source ?? ""
      case .version: location.version
      case .fineRow, .fineColumn, .fineSince, .fineVersion, .fineMark, .fineNextRow,
        .fineNextColumn, .fineNextMark, .fineDue:
        CellColumns.fine.value(of: column, in: location.fine)
      case .coarseRow, .coarseColumn, .coarseSince, .coarseVersion, .coarseMark, .coarseNextRow,
        .coarseNextColumn, .coarseNextMark, .coarseDue:
        CellColumns.coarse.value(of: column, in: location.coarse)
      case .nextMove: location.nextMove
      }
    }
  }

  // MARK: - Moves

  /// When the next move is due; nil if none waits.
  package static func earliestMove(in database: Database) throws -> WireTime? {
    try WireTime.fetchOne(
      database, sql: "SELECT min(next_move) FROM locations WHERE next_move IS NOT NULL")
  }

  /// The users whose moves are due.
  static func moving(at time: WireTime, in database: Database) throws -> [String] {
    try String.fetchAll(
      database, sql: "SELECT user_id FROM locations WHERE next_move <= ? ORDER BY user_id",
      arguments: [time.microseconds])
  }
}

/// The columns that hold the announced cell of one level.
private struct CellColumns {
  typealias Column = LocationRecords.Column

  static let fine = CellColumns(
    row: .fineRow, column: .fineColumn, since: .fineSince, version: .fineVersion, mark: .fineMark,
    nextRow: .fineNextRow, nextColumn: .fineNextColumn, nextMark: .fineNextMark, due: .fineDue)
  static let coarse = CellColumns(
    row: .coarseRow, column: .coarseColumn, since: .coarseSince, version: .coarseVersion,
    mark: .coarseMark, nextRow: .coarseNextRow, nextColumn: .coarseNextColumn,
    nextMark: .coarseNextMark, due: .coarseDue)

  let row, column, since, version, mark, nextRow, nextColumn, nextMark, due: Column

  /// nil where the row has no cell of this level.
  func cell(of level: GridLevel, in stored: Row) throws -> AnnouncedCell? {
    func cell(_ row: Column, _ column: Column) throws -> GridCell? {
      guard let row: Int64 = try stored[row], let column: Int64 = try stored[column] else {
        return nil
      }
      return GridCell(level: level, row: row, column: column)
    }
    guard let announced = try cell(row, column) else { return nil }
    var result = AnnouncedCell(
      cell: announced, since: try stored[since], version: try stored[version],
      mark: try stored[mark] ?? "")
    if let next = try cell(nextRow, nextColumn), let due: WireTime = try stored[due] {
      result.pending = .init(cell: next, mark: try stored[nextMark] ?? "", due: due)
    }
    return result
  }

  func value(of column: Column, in announced: AnnouncedCell?) -> (any SQLConvertible)? {
    let next = announced?.pending
    return switch column {
    case row: announced?.cell.row
    case self.column: announced?.cell.column
    case since: announced?.since
    case version: announced?.version
    case mark: announced?.mark
    case nextRow: next?.cell.row
    case nextColumn: next?.cell.column
    case nextMark: next?.mark
    case due: next?.due
    default: nil
    }
  }
}
