extension FrameComposer {
  /// Writes what the rings stand for where markers and their labels leave room, and arrows to the
  /// nearest towns out of view.
  ///
  /// - Parameters:
  ///   - towns: The nearest first.
  ///   - isCovered: Whether tiles cover a cell.
  mutating func placeNear(
    _ near: NearGrid, towns: [City], except isCovered: (_ column: Int, _ row: Int) -> Bool
  ) {
    if let metres = near.metres {
      for number in NearGrid.rings {
        let radius = near.step * Double(number)
        let text = CellText(
          DistanceText(metres: metres * Double(number)).description, width: measure)
        let (x, y) = near.center
        let slant = radius * 0.5.squareRoot()
        // At the top of the ring, or where else it is in view and free.
        for spot in [
          (x, y - radius), (x, y + radius), (x + radius, y), (x - radius, y),
          (x + slant, y - slant), (x - slant, y - slant), (x + slant, y + slant),
          (x - slant, y + slant),
        ] {
          let span = CellSpan(
            column: Int((spot.0 / 2).rounded(.down)) - text.width / 2,
            row: Int((spot.1 / 4).rounded(.down)), width: text.width)
          guard placer.occupancy.isFree(span, margin: 1), !isCovered(span.column, span.row) else {
            continue
          }
          placer.occupancy.take(span, owner: placer.newOwner())
          frame.write(text, column: span.column, row: span.row, ink: .gridLabel)
          break
        }
      }
    }
    // Far from oneself the way from there says nothing.
    let own = near.metres == nil ? nil : options.distanceOrigin
    for town in towns.prefix(4) {
      placeArrow(to: town, from: own ?? viewport.center, except: isCovered)
    }
  }
}
