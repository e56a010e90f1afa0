extension FrameComposer {
  /// Places names of places, streets and water, each once.
  ///
  /// First those that stood in the last frame, where they stood: a name that comes into view moves
  /// no other. Then the rest, the most important first.
  ///
  /// - Parameter last: The lattice cells at which names started in the last frame.
  /// - Returns: The same for this frame.
  mutating func placeGroundNames(
    _ names: GroundNames, last: [String: LatticeCell]
  ) -> [String: LatticeCell] {
    let origin = viewport.origin
    var placed: [String: LatticeCell] = [:]
    for name in names.names where placed[name.name] == nil {
      guard let cell = last[name.name] else { continue }
      let stood = CellSpan(
        column: cell.column - origin.column, row: cell.row - origin.row, width: name.text.width)
      if hasRoom(stood) {
        write(name, at: stood)
        placed[name.name] = cell
      }
    }
    for name in names.names where placed[name.name] == nil && placed.count < names.limit {
      guard let span = name.spots.first(where: { hasRoom($0) }) else { continue }
      write(name, at: span)
      placed[name.name] = LatticeCell(
        column: span.column + origin.column, row: span.row + origin.row)
    }
    return placed
  }

  private mutating func write(_ name: GroundName, at span: CellSpan) {
    placer.occupancy.take(span, owner: placer.newOwner())
    frame.write(name.text, column: span.column, row: span.row, ink: name.kind.ink)
    frame.names.append(PlacedName(place: .ground(name.name), span: span, anchor: span))
  }

  /// Whether a name may stand here: it is on the grid, no other text touches it on any side, and
  /// the last row is left to the scale.
  private func hasRoom(_ span: CellSpan) -> Bool {
    guard span.row < viewport.rows - 1, placer.occupancy.isFree(span, margin: 1) else {
      return false
    }
    return [-1, 1].allSatisfy { step in
      let row = span.row + step
      let beside = CellSpan(column: span.column, row: row, width: span.width)
      return !(0..<viewport.rows).contains(row) || placer.occupancy.isFree(beside)
    }
  }
}
