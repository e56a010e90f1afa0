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
    try table.row(where: "l.user_id = ?", [userID], in: database).map(location)
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

/// A row of `locations`: a user's last position at the precision of the most exact audience.
///
/// It also has the announced cell of each level, so that all readers of a level see the same cell.
/// Each has a version of its own, so that readers of one level learn nothing of changes at another.
package struct StoredLocation: Hashable, Sendable {
  /// Values for precise readers only, besides the place.
  struct Details: Hashable, Sendable {
    var accuracyMetres: Double?
    var speed: Double?
    var course: Double?
    var battery: Double?
    var source: String
  }

  let userID: UUID
  /// The precision of this row; never `off`.
  package private(set) var precision: SharingMode
  /// The exact place, or the centre of the finest stored cell.
  package private(set) var coordinate: Coordinate
  /// nil in a row that is not precise.
  private(set) var details: Details?
  /// When it was measured; rounded down to the quarter hour in a row that is not precise.
  package private(set) var recordedAt: WireTime
  /// Grows with every change for precise readers.
  private(set) var version: Int64
  /// nil in a row of the coarse level.
  private(set) var fine: AnnouncedCell?
  private(set) var coarse: AnnouncedCell
}

extension StoredLocation {
  /// The row after a report.
  ///
  /// - Parameters:
  ///   - previous: The previous row; its cells stay until the user has clearly left them.
  ///   - memories: The stored marks of levels that the previous row lacks.
  ///   - limit: The precision of the most exact audience.
  /// - Returns: nil if nobody may see anything, or the report's coordinate is invalid.
  init?(
    _ report: LocationReport, of userID: UUID, after previous: StoredLocation?,
    remembering memories: [GridLevel: CellMemory] = [:], limit: SharingMode, moves: CellMoves,
    at now: WireTime
  ) {
    let precision = min(limit, report.precision ?? .precise)
    guard precision > .off, let place = report.coordinate else { return nil }
    let mark: (GridCell) -> String = { moves.marks.mark($0, of: userID) }
    func announced(_ level: GridLevel) -> AnnouncedCell {
      let measured = report.recordedAt
      let known =
        previous?.announced(at: level)?.announcing(at: now)
        ?? memories[level]?.recalled(
          near: place, level: level, since: measured.quarterHour, at: now, mark: mark)
      guard let known else {
        return AnnouncedCell(first: place, level: level, measured: measured, mark: mark)
      }
      return known.following(
        place, measured: measured, at: now,
        due: { moves.due(CellMove(owner: userID.wireText, from: known.cell, to: $0, time: now)) },
        mark: mark)
    }
    self.init(
      userID: userID, precision: .precise, coordinate: place,
      details: Details(
        accuracyMetres: report.accuracyMetres, speed: report.speed, course: report.course,
        battery: report.battery, source: report.source),
      recordedAt: report.recordedAt, version: previous?.version ?? 0,
      fine: announced(.oneKilometre), coarse: announced(.tenKilometres))
    if !isSame(toPreciseReaders: previous) { version += 1 }
    cut(to: precision)
  }

  /// Precise readers have no cell.
  private func isSame(toPreciseReaders other: StoredLocation?) -> Bool {
    guard let other, other.precision == .precise else { return false }
    return coordinate == other.coordinate && details == other.details
      && recordedAt == other.recordedAt
  }

  /// The row after announcing the moves that are due.
  func announcingMoves(at time: WireTime) -> StoredLocation {
    var next = self
    next.fine = fine?.announcing(at: time)
    next.coarse = coarse.announcing(at: time)
    if let kept = next.announced(for: precision) { next.coordinate = kept.cell.center }
    return next
  }

  /// Whether a report is older than this row. Without precision only quarter hours are compared,
  /// and within the same one the later report counts as newer.
  ///
  /// - Parameter receivedAt: When the report of this row came; nil if that is not known. A clock that is
  ///   ahead shuts out no later report of a right one.
  func isNewer(than report: LocationReport, receivedAt: WireTime?) -> Bool {
    let own = min(recordedAt, receivedAt ?? recordedAt)
    guard precision == .precise, (report.precision ?? .precise) == .precise else {
      return report.recordedAt.quarterHour < own.quarterHour
    }
    return report.recordedAt < own
  }

  /// Removes everything more exact than `limit`. No effect for `off`: such rows are deleted.
  mutating func cut(to limit: SharingMode) {
    guard limit < precision else { return }
    let kept: AnnouncedCell?
    switch limit {
    case .off, .precise: return
    case .approximate1km: kept = fine
    case .approximate10km:
      fine = nil
      kept = coarse
    }
    guard let kept else { return }
    precision = limit
    coordinate = kept.cell.center
    details = nil
    recordedAt = recordedAt.quarterHour
  }

  /// The announced cell that a coarse reader sees; nil where the row has none.
  package func announced(for mode: SharingMode) -> AnnouncedCell? {
    mode.gridLevel.flatMap(announced)
  }

  package func announced(at level: GridLevel) -> AnnouncedCell? {
    switch level {
    case .oneKilometre: fine
    case .tenKilometres: coarse
    }
  }

  /// When the next move is announced; nil when none waits.
  var nextMove: WireTime? { [fine?.pending?.due, coarse.pending?.due].compactMap(\.self).min() }

  /// Grows only with changes that readers of `mode` see.
  func version(for mode: SharingMode) -> Int64 {
    switch mode {
    case .off: 0
    case .precise: version
    case .approximate1km, .approximate10km: announced(for: mode)?.version ?? 0
    }
  }
}

/// The key of a change of `locations`: the owner, and the precision at which it changed.
package struct LocationKey: Hashable, Sendable {
  package let owner: String
  /// nil for a change of access, whose audience names the readers.
  package let mode: SharingMode?

  var text: String { mode.map { "\(owner) \($0.rawValue)" } ?? owner }
}

extension LocationKey {
  package init(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    owner = parts.first.map(String.init) ?? ""
    mode = parts.count > 1 ? SharingMode(rawValue: String(parts[1])) : nil
  }
}
