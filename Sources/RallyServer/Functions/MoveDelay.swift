import RallyWire

/// When a move into another cell is announced to coarse readers.
///
/// Whoever knows the grid knows where its edges are. Were a crossing announced at once, the moment
/// of the announcement would tell to a few metres where somebody is along one axis; after a random
/// delay a walker is anywhere within a tenth of a cell.
public struct MoveDelay: Sendable {
  /// The moment at which a move made now is announced.
  let due: @Sendable (_ level: GridLevel, _ now: WireTime) -> WireTime

  init(due: @escaping @Sendable (_ level: GridLevel, _ now: WireTime) -> WireTime) {
    self.due = due
  }

  /// Uniform between none and the level's longest one.
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
