import Foundation
import RallyWire

/// A row of `locations`: somebody's last position, as exact as their most exact audience may see.
///
/// It also keeps the cells that are announced at each level, so that all readers of a level see
/// the same cell, and a version of each, so that no level's readers learn of another's changes.
struct StoredLocation: Hashable, Sendable {
  /// What readers of one level of the grid see, and since when.
  struct Announced: Hashable, Sendable {
    var cell: GridCell
    /// The quarter of an hour in which the person came into the cell.
    var since: WireTime
    var version: Int64
  }

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
  private(set) var fine: Announced?
  private(set) var coarse: Announced

  init(
    userID: UUID, precision: SharingMode, coordinate: Coordinate, details: Details?,
    recordedAt: WireTime, version: Int64, fine: Announced?, coarse: Announced
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
  ///   - limit: What the most exact audience may see.
  /// - Returns: nil when nobody may see anything, or the report names no place.
  init?(
    _ report: LocationReport, of userID: UUID, after previous: StoredLocation?,
    limit: SharingMode
  ) {
    let precision = min(limit, report.precision ?? .precise)
    guard precision > .off, let place = report.coordinate else { return nil }
    func announced(_ level: GridLevel, _ before: Announced?) -> Announced {
      let cell = GridCell.following(before?.cell, at: place, level: level)
      if let before, before.cell == cell { return before }
      return Announced(
        cell: cell, since: report.recordedAt.quarterHour, version: (before?.version ?? 0) + 1)
    }
    self.init(
      userID: userID, precision: .precise, coordinate: place,
      details: Details(
        accuracyMetres: report.accuracyMetres, speed: report.speed, course: report.course,
        battery: report.battery, source: report.source),
      recordedAt: report.recordedAt, version: previous?.version ?? 0,
      fine: announced(.oneKilometre, previous?.fine),
      coarse: announced(.tenKilometres, previous?.coarse))
    if self != previous { version += 1 }
    cut(to: precision)
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
    let kept: Announced?
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
  func announced(for mode: SharingMode) -> Announced? {
    switch mode {
    case .approximate1km: fine
    case .approximate10km: coarse
    case .off, .precise: nil
    }
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
