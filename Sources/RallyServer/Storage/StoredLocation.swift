import Foundation
import RallyWire

/// A row of `locations`: somebody's last position, as exact as their most exact audience may see.
///
/// It also keeps the cells that are announced at each level, so that all readers of a level see
/// the same cell, and a version of each, so that no level's readers learn of another's changes.
struct StoredLocation: Hashable, Sendable {
  /// What only precise readers may know beside the place.
  struct Details: Hashable, Sendable {
    var accuracyMetres: Double?
    var speed: Double?
    var course: Double?
    var battery: Double?
    var source: String
  }

  let userID: UUID
  /// How exact this row is; never `off`.
  private(set) var precision: SharingMode
  /// The place itself, or the middle of the finest cell that is kept.
  private(set) var coordinate: Coordinate
  /// nil once the row was cut.
  private(set) var details: Details?
  /// When it was measured; only the quarter of an hour once the row was cut.
  private(set) var recordedAt: WireTime
  /// Counts the changes that precise readers saw.
  private(set) var version: Int64
  /// nil in a row that was cut to the coarse level.
  private(set) var fine: AnnouncedCell?
  private(set) var coarse: AnnouncedCell

  init(
    userID: UUID, precision: SharingMode, coordinate: Coordinate, details: Details?,
    recordedAt: WireTime, version: Int64, fine: AnnouncedCell?, coarse: AnnouncedCell
  ) {
    self.userID = userID
    self.precision = precision
    self.coordinate = coordinate
    self.details = details
    self.recordedAt = recordedAt
    self.version = version
    self.fine = fine
    self.coarse = coarse
  }

  /// The row after a report.
  ///
  /// - Parameters:
  ///   - previous: The row before, whose cells hold until the person has clearly left them.
  ///   - memories: What is remembered of the levels that the row before does not have.
  ///   - limit: What the most exact audience may see.
  /// - Returns: nil when nobody may see anything, or the report names no place.
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
        let cell = GridCell(containing: place, level: level)
        return AnnouncedCell(
          cell: cell, since: measured.quarterHour, version: 1, mark: mark(cell))
      }
      return known.following(
        place, measured: measured, at: now, due: { moves.delay.due(level, now) }, mark: mark)
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

  /// Cells are none of theirs.
  private func isSame(toPreciseReaders other: StoredLocation?) -> Bool {
    guard let other, other.precision == .precise else { return false }
    return coordinate == other.coordinate && details == other.details
      && recordedAt == other.recordedAt
  }

  /// The row once every move that is due is announced.
  func announcingMoves(at time: WireTime) -> StoredLocation {
    var next = self
    next.fine = fine?.announcing(at: time)
    next.coarse = coarse.announcing(at: time)
    if let kept = next.announced(for: precision) { next.coordinate = kept.cell.center }
    return next
  }

  /// Whether a report is from before this row. Once either was cut, only quarters of an hour are
  /// known, and within the same one the report that comes later is taken for the newer.
  func isNewer(than report: LocationReport) -> Bool {
    guard precision == .precise, (report.precision ?? .precise) == .precise else {
      return report.recordedAt.quarterHour < recordedAt.quarterHour
    }
    return report.recordedAt < recordedAt
  }

  /// Drops whatever is more exact than `limit`; `off` is not a row any more and left alone.
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
  func announced(for mode: SharingMode) -> AnnouncedCell? { mode.gridLevel.flatMap(announced) }

  func announced(at level: GridLevel) -> AnnouncedCell? {
    switch level {
    case .oneKilometre: fine
    case .tenKilometres: coarse
    }
  }

  /// When the next move is announced; nil when none waits.
  var nextMove: WireTime? {
    [fine?.pending?.due, coarse.pending?.due].compactMap(\.self).min()
  }

  /// Grows with what readers of `mode` see, and with nothing else.
  func version(for mode: SharingMode) -> Int64 {
    switch mode {
    case .off: 0
    case .precise: version
    case .approximate1km, .approximate10km: announced(for: mode)?.version ?? 0
    }
  }
}
