import RallyWire

/// The delay before a move into another cell is announced to coarse readers.
///
/// The grid's edges are public. An immediate announcement would reveal the position along one axis
/// to a few metres; after a random delay a walker is anywhere within a tenth of a cell.
public struct MoveDelay: Sendable {
  /// When a move that is made now is announced.
  let due: @Sendable (_ level: GridLevel, _ now: WireTime) -> WireTime

  init(due: @escaping @Sendable (_ level: GridLevel, _ now: WireTime) -> WireTime) {
    self.due = due
  }

  /// Uniform between zero and the level's maximum.
  public static let random = uniform { Int64.random(in: $0) }

  /// - Parameter draw: Draws a number of microseconds.
  static func uniform(
    _ draw: @escaping @Sendable (ClosedRange<Int64>) -> Int64
  ) -> MoveDelay {
    MoveDelay { level, now in
      let longest = Int64(level.longestDelay / .microseconds(1))
      return now.advanced(by: .microseconds(draw(0...longest)))
    }
  }

  /// For a world without real people, such as the demo's: moves are announced at once.
  public static let none = MoveDelay { _, now in now }
}
