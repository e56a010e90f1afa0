import RallyWire

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
/// to a few metres; after a delay that nobody can guess a walker is anywhere within a tenth of a cell.
public struct MoveDelay: Sendable {
  /// HMAC-SHA-256 of a text under a key that no reader knows.
  public typealias Digest = (_ text: String) -> [UInt8]

  private let moment: @Sendable (_ move: CellMove, _ digest: Digest) -> WireTime

  public init(moment: @escaping @Sendable (_ move: CellMove, _ digest: Digest) -> WireTime) {
    self.moment = moment
  }

  /// When a move is announced.
  public func due(_ move: CellMove, by digest: Digest) -> WireTime { moment(move, digest) }

  /// Uniform between zero and the level's maximum, and the same for the same habit: it follows from
  /// a key of who announces, the person, both cells in their order, the hour of the day and the calendar
  /// month, in UTC.
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
