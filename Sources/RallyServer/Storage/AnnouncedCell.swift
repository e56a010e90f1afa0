import RallyWire

/// The cell that readers of a grid level see of a user.
///
/// A move into another cell waits here until it is announced. All readers of a level see the same
/// cell.
struct AnnouncedCell: Hashable, Sendable {
  /// A move that is not announced yet.
  struct Pending: Hashable, Sendable {
    var cell: GridCell
    var mark: String
    /// When it is announced; later moves do not change this.
    var due: WireTime
  }

  var cell: GridCell
  /// The quarter hour in which the cell was announced.
  var since: WireTime
  var version: Int64
  /// See `CellMarks`; empty in rows from before marks existed.
  var mark: String
  var pending: Pending?

  /// The state after a report from `place`.
  ///
  /// - Parameters:
  ///   - measured: The time of the report.
  ///   - due: When a new move into a cell is announced.
  ///   - mark: The mark of a cell.
  func following(
    _ place: Coordinate, measured: WireTime, at now: WireTime, due: (GridCell) -> WireTime,
    mark: (GridCell) -> String
  ) -> AnnouncedCell {
    var next = self
    next.mark = mark(cell)
    let here = GridCell.following(cell, at: place, level: cell.level)
    guard here != cell else {
      next.pending = nil
      return next
    }
    let target = pending.map { GridCell.following($0.cell, at: place, level: cell.level) } ?? here
    let moment = pending?.due ?? due(target)
    guard moment <= now else {
      next.pending = Pending(cell: target, mark: mark(target), due: moment)
      return next
    }
    return AnnouncedCell(
      cell: target, since: measured.quarterHour, version: version + 1, mark: mark(target))
  }

  /// The state after announcing a move that is due.
  func announcing(at time: WireTime) -> AnnouncedCell {
    guard let pending, pending.due <= time else { return self }
    // Not the time of the move, which would reveal the delay.
    return AnnouncedCell(
      cell: pending.cell, since: pending.due.quarterHour, version: version + 1,
      mark: pending.mark)
  }
}
