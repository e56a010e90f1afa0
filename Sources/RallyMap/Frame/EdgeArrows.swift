import Foundation

extension FrameComposer {
  /// Draws arrows at the edge that point to markers out of view, with the distance to the nearest.
  ///
  /// Arrows whose texts would overlap are merged into one with a count. Without room for the text
  /// only the arrow is drawn; without room for the arrow nothing is. An arrow never covers a
  /// visible marker.
  ///
  /// - Parameter outside: Indices of the markers out of view, most important first.
  mutating func placeArrows(_ markers: [MapMarker], outside: [Int]) {
    let origin = options.distanceOrigin ?? viewport.center
    var groups: [ArrowGroup] = []
    for index in outside where markers[index].hasArrow {
      let place = projection.position(of: WorldPoint(markers[index].point))
      guard let exit = exit(toward: place) else { continue }
      let distance = origin.distance(to: markers[index].point)
      let near = groups.firstIndex {
        abs($0.column - exit.column) < Self.arrowRoom && abs($0.row - exit.row) < 2
      }
      if let near {
        groups[near].members.append((index, distance))
      } else {
        groups.append(
          ArrowGroup(
            members: [(index, distance)], column: exit.column, row: exit.row,
            direction: exit.direction))
      }
    }
    for group in groups { write(group, markers) }
  }

  private static let arrowRoom = 14

  private struct ArrowGroup {
    var members: [(index: Int, distance: Double)]
    var column: Int
    var row: Int
    var direction: CompassPoint
  }

  /// Where the line from the grid's centre to `place` leaves the grid; nil when it is on the grid.
  private func exit(
    toward place: (column: Double, row: Double)
  ) -> (column: Int, row: Int, direction: CompassPoint)? {
    let width = Double(viewport.columns)
    let height = Double(viewport.rows)
    let isInside =
      place.column >= 0 && place.column < width && place.row >= 0 && place.row < height
    let dx = place.column - width / 2
    let dy = place.row - height / 2
    guard !isInside, dx.isFinite, dy.isFinite, dx != 0 || dy != 0 else { return nil }
    let share = min(
      dx == 0 ? .infinity : width / 2 / abs(dx), dy == 0 ? .infinity : height / 2 / abs(dy))
    let column = min(max(Int(width / 2 + dx * share), 0), viewport.columns - 1)
    let row = min(max(Int(height / 2 + dy * share), 0), viewport.rows - 1)
    // Cells are twice as high as wide.
    let bearing = atan2(dx, -dy * 2) * 180 / .pi
    return (column, row, CompassPoint(bearing: bearing))
  }

  private mutating func write(_ group: ArrowGroup, _ markers: [MapMarker]) {
    let members = group.members.enumerated().sorted {
      $0.element.distance == $1.element.distance
        ? $0.offset < $1.offset : $0.element.distance < $1.element.distance
    }.map(\.element)
    let nearest = markers[members[0].index]
    var words = CellText(
      members.count == 1 ? nearest.label : "\(members.count)", width: measure
    ).truncated(to: 12, ellipsis: options.ellipsis)
    words.append(
      CellText(
        "\(words.width == 0 ? "" : " ")\(distanceText(members[0].distance, nearest.uncertaintyMetres))",
        width: measure))
    var arrow = CellText()
    let glyph = group.direction.arrow(options.glyphs)
    arrow.append(glyph, 1)
    let cell = CellSpan(column: group.column, row: group.row, width: 1)
    guard placer.occupancy.isFree(cell) else { return }
    let owner = placer.newOwner()
    placer.occupancy.take(cell, owner: owner)
    // The text goes on the side toward the centre of the grid.
    let isEast = group.column > viewport.columns / 2
    let column = isEast ? group.column - words.width : group.column + 1
    let wordSpan = CellSpan(column: column, row: group.row, width: words.width)
    var whole = cell
    if placer.occupancy.isFree(wordSpan, margin: 1, owner: owner) {
      placer.occupancy.take(wordSpan, owner: owner)
      whole = CellSpan(
        column: min(column, cell.column), row: cell.row, width: words.width + 1)
      frame.write(words, column: column, row: cell.row, ink: .arrow, tag: nearest.tag)
    }
    frame.write(arrow, column: cell.column, row: cell.row, ink: .arrow, tag: nearest.tag)
    frame.arrows.append(
      EdgeArrow(
        ids: members.map { markers[$0.index].id }, column: cell.column, row: cell.row,
        glyph: glyph, span: whole, distance: members[0].distance))
  }
}
