import RallyWire

/// The cell that readers of a grid level see of a user.
///
/// A move into another cell waits here until it is announced. All readers of a level see the same
/// cell.
public struct AnnouncedCell: Hashable, Sendable, Codable {
  /// A move that is not announced yet.
  public struct Pending: Hashable, Sendable, Codable {
    public var cell: GridCell
    public var mark: String
    /// When it is announced; later moves do not change this.
    public var due: WireTime

    public init(cell: GridCell, mark: String, due: WireTime) {
      self.cell = cell
      self.mark = mark
      self.due = due
    }
  }

  public var cell: GridCell
  /// The quarter hour in which the cell was announced.
  public var since: WireTime
  public var version: Int64
  /// By which a server recognizes the cell without storing it; empty where nothing is recognized, and
  /// in rows from before marks existed.
  public var mark: String
  public var pending: Pending?

  public init(
    cell: GridCell, since: WireTime, version: Int64, mark: String, pending: Pending? = nil
  ) {
    self.cell = cell
    self.since = since
    self.version = version
    self.mark = mark
    self.pending = pending
  }

  /// The state after the first report: nobody can be told from a move that they did not see.
  public init(
    first place: Coordinate, level: GridLevel, measured: WireTime, mark: (GridCell) -> String
  ) {
    let cell = GridCell(containing: place, level: level)
    self.init(cell: cell, since: measured.quarterHour, version: 1, mark: mark(cell))
  }

  /// The state after a report from `place`.
  ///
  /// - Parameters:
  ///   - measured: The time of the report.
  ///   - due: When a new move into a cell is announced.
  ///   - mark: The mark of a cell.
  public func following(
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
  public func announcing(at time: WireTime) -> AnnouncedCell {
    guard let pending, pending.due <= time else { return self }
    // Not the time of the move, which would reveal the delay.
    return AnnouncedCell(
      cell: pending.cell, since: pending.due.quarterHour, version: version + 1,
      mark: pending.mark)
  }
}
