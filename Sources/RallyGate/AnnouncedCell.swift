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

/// A move of a person from the cell that readers see into another one.
public struct CellMove: Hashable, Sendable {
  public var owner: String
  /// Both are of one level.
  public var from, to: GridCell
  public var time: WireTime

  public init(owner: String, from: GridCell, to: GridCell, time: WireTime) {
    self.owner = owner
    self.from = from
    self.to = to
    self.time = time
  }

  public var level: GridLevel { from.level }
}

/// The delay before a move into another cell is announced to coarse readers.
///
/// The grid's edges are public. An immediate announcement would reveal the position along one axis
/// to a few metres. After a delay that nobody can guess a walker is anywhere within a tenth of a
/// cell.
public struct MoveDelay: Sendable {
  /// HMAC-SHA-256 of a text under a key that no reader has.
  public typealias Digest = (_ text: String) -> [UInt8]

  private let moment: @Sendable (_ move: CellMove, _ digest: Digest) -> WireTime

  public init(moment: @escaping @Sendable (_ move: CellMove, _ digest: Digest) -> WireTime) {
    self.moment = moment
  }

  /// When a move is announced.
  public func due(_ move: CellMove, by digest: Digest) -> WireTime { moment(move, digest) }

  /// Uniform between zero and the level's maximum, and the same for the same habit. It follows from
  /// a key of who announces, the person, both cells in their order, the hour of the day and the
  /// calendar month, in UTC.
  ///
  /// If it were drawn anew each time, the crossings of many days would average it out. Somebody who
  /// knows where the person crossed once, and so the delay, knows it for that hour and month only.
  public static let derived = MoveDelay { move, digest in
    let text = move.time.zulu
    let words = [
      "rally move", move.owner, move.level.rawValue, "\(move.from.row)", "\(move.from.column)",
      "\(move.to.row)", "\(move.to.column)", String(text.dropFirst(11).prefix(2)),
      String(text.prefix(7)),
    ]
    let number = digest(words.joined(separator: " ")).prefix(8).reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    let longest = UInt64(move.level.longestDelay / .microseconds(1))
    return move.time.advanced(by: .microseconds(Int64(number % (longest + 1))))
  }

  /// For a world without real people, such as the demo's: moves are announced at once.
  public static let none = MoveDelay { move, _ in move.time }
}
