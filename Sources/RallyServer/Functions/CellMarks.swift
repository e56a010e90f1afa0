import Foundation
import RallyWire

/// Recognises a cell without knowing it.
///
/// A mark is a keyed digest of a cell and its owner. The key is the server's and not in the
/// database, so that marks by themselves tell no place; next to a position that is known again the
/// cell is found by trying the few that are near.
struct CellMarks: Sendable {
  private let keys: KeyRing

  init(keys: KeyRing) { self.keys = keys }

  func mark(_ cell: GridCell, of owner: UUID) -> String {
    let key = keys.current.secret
    let words = [
      "rally cell", owner.wireText, cell.level.rawValue, "\(cell.row)", "\(cell.column)",
    ]
    return Base64URL.encode(Sodium.hmac(words.joined(separator: " ").utf8, key: key).prefix(16))
  }
}

/// How moves between cells become known: when, and what is remembered while nobody sees anything.
struct CellMoves: Sendable {
  let delay: MoveDelay
  let marks: CellMarks
}
