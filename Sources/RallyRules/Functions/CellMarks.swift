import Foundation
import RallyGate
import RallyStorage
import RallyWire

/// Keyed digests by which cells are recognized without storing them.
///
/// A mark is a digest of a cell and its owner. Its key is not in the database, so marks alone
/// reveal no place. Given a new position, the cell is found by trying those nearby.
package struct CellMarks: Sendable {
  package let keys: KeyRing

  package init(keys: KeyRing) { self.keys = keys }

  func mark(_ cell: GridCell, of owner: UUID) -> String {
    let key = keys.current.secret
    let words = [
      "rally cell", owner.wireText, cell.level.rawValue, "\(cell.row)", "\(cell.column)",
    ]
    return Base64URL.encode(Sodium.hmac(words.joined(separator: " ").utf8, key: key).prefix(16))
  }
}

package struct CellMoves: Sendable {
  package let delay: MoveDelay
  let marks: CellMarks

  package init(delay: MoveDelay, marks: CellMarks) {
    self.delay = delay
    self.marks = marks
  }

  /// When a move is announced.
  func due(_ move: CellMove) -> WireTime { delay.due(move, marks.keys.current.moveSecret) }
}

extension MoveDelay {
  /// When a move is announced under a secret of this server.
  func due(_ move: CellMove, _ key: SecretKey) -> WireTime {
    due(move) { Sodium.hmac($0.utf8, key: key) }
  }
}
