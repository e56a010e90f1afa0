import RallyWire

/// What readers of one level of the grid see of somebody, and since when.
///
/// A move into another cell waits here until it is announced. All readers of a level see the same
/// cell, whichever way they ask.
struct AnnouncedCell: Hashable, Sendable {
  /// A move that was made and not announced yet.
  struct Pending: Hashable, Sendable {
    var cell: GridCell
    var mark: String
    /// When it is announced. Further moves change the cell and never this.
    var due: WireTime
  }

  var cell: GridCell
  /// The quarter of an hour in which the cell was announced.
  var since: WireTime
  var version: Int64
  /// See `CellMarks`; empty in rows from before there were any.
  var mark: String
  var pending: Pending?

  /// The cell after somebody was at `place`.
  ///
  /// - Parameters:
  ///   - measured: When they were there.
  ///   - due: When a move that is made now is announced.
  ///   - mark: The mark of a cell.
  func following(
    _ place: Coordinate, measured: WireTime, at now: WireTime, due: () -> WireTime,
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
    let moment = pending?.due ?? due()
    guard moment <= now else {
      next.pending = Pending(cell: target, mark: mark(target), due: moment)
      return next
    }
    return AnnouncedCell(
      cell: target, since: measured.quarterHour, version: version + 1, mark: mark(target))
  }

  /// The cell once everything that is due is announced.
  func announcing(at time: WireTime) -> AnnouncedCell {
    guard let pending, pending.due <= time else { return self }
    // Not the quarter of the move itself: it would tell how long the announcement was delayed.
    return AnnouncedCell(
      cell: pending.cell, since: pending.due.quarterHour, version: version + 1,
      mark: pending.mark)
  }
}
