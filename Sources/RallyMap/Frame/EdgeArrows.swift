import Glibc

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

  /// Draws an arrow with a town's name and distance; nothing where it is in view or has no room.
  ///
  /// - Parameter origin: Where the distance counts from.
  mutating func placeArrow(
    to town: City, from origin: GeoPoint,
    except isCovered: (_ column: Int, _ row: Int) -> Bool
  ) {
    guard let exit = exit(toward: projection.position(of: WorldPoint(town.point))),
      !isCovered(exit.column, exit.row)
    else { return }
    let distance = DistanceText(metres: origin.distance(to: town.point)).description
    write(
      CellText("\(town.name) \(distance)", width: measure), at: exit, ink: .cityLabel, tag: 0,
      alone: false)
  }

  private static let arrowRoom = 14

  private struct ArrowGroup {
    var members: [(index: Int, distance: Double)]
    var column: Int
    var row: Int
    var direction: CompassPoint
  }

  /// Where the line from the grid's centre to `place` leaves the grid; nil when it is on the grid.
  /// At the zooms of streets the last row is left to the scale and to who made the tiles.
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
    let isFull = viewport.zoom < MapGround.lowestZoom || viewport.rows < 2
    let lastRow = viewport.rows - (isFull ? 1 : 2)
    let row = min(max(Int(height / 2 + dy * share), 0), lastRow)
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
    let exit = (group.column, group.row, group.direction)
    guard let span = write(words, at: exit, ink: .arrow, tag: nearest.tag) else { return }
    frame.arrows.append(
      EdgeArrow(
        ids: members.map { markers[$0.index].id }, column: group.column, row: group.row,
        glyph: group.direction.arrow(options.glyphs), span: span, distance: members[0].distance))
  }

  /// Writes an arrow at the edge, with words beside it where there is room for them.
  ///
  /// - Parameter alone: Whether the arrow is drawn also without room for the words.
  /// - Returns: The cells of both; nil without room.
  @discardableResult
  private mutating func write(
    _ words: CellText, at exit: (column: Int, row: Int, direction: CompassPoint), ink: MapInk,
    tag: UInt8, alone: Bool = true
  ) -> CellSpan? {
    var arrow = CellText()
    arrow.append(exit.direction.arrow(options.glyphs), 1)
    let cell = CellSpan(column: exit.column, row: exit.row, width: 1)
    guard placer.occupancy.isFree(cell) else { return nil }
    let owner = placer.newOwner()
    // The text goes on the side toward the centre of the grid.
    let isEast = exit.column > viewport.columns / 2
    let column = isEast ? exit.column - words.width : exit.column + 1
    let wordSpan = CellSpan(column: column, row: exit.row, width: words.width)
    let hasRoom = placer.occupancy.isFree(wordSpan, margin: 1)
    guard hasRoom || alone else { return nil }
    placer.occupancy.take(cell, owner: owner)
    frame.write(arrow, column: cell.column, row: cell.row, ink: ink, tag: tag)
    guard hasRoom else { return cell }
    placer.occupancy.take(wordSpan, owner: owner)
    frame.write(words, column: column, row: cell.row, ink: ink, tag: tag)
    return CellSpan(column: min(column, cell.column), row: cell.row, width: words.width + 1)
  }
}
