import Foundation
import RallyGate
import RallyWire

/// A row of `locations`: a user's last position at the precision of the most exact audience.
///
/// It also has the announced cell of each level, so that all readers of a level see the same cell,
/// with a version of its own, so that readers of one level learn nothing of changes at another.
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
  /// - Parameter heardAt: When the report of this row came; nil if that is not known. A clock that is
  ///   ahead shuts out no later report of a right one.
  func isNewer(than report: LocationReport, heardAt: WireTime?) -> Bool {
    let own = min(recordedAt, heardAt ?? recordedAt)
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
  var nextMove: WireTime? {
    [fine?.pending?.due, coarse.pending?.due].compactMap(\.self).min()
  }

  /// Grows only with changes that readers of `mode` see.
  func version(for mode: SharingMode) -> Int64 {
    switch mode {
    case .off: 0
    case .precise: version
    case .approximate1km, .approximate10km: announced(for: mode)?.version ?? 0
    }
  }
}
