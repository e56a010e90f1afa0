import RallyMap

/// A point in the units of a tile, which may lie outside of the tile.
struct TilePosition {
  let x: Double
  let y: Double
  let metresPerUnit: Double
  private let point: GeoPoint
  private let tile: GroundTile

  init(of point: GeoPoint, in tile: GroundTile) {
    self.point = point
    self.tile = tile
    let world = WorldPoint(point)
    let origin = tile.address.origin
    let units = Double(tile.extent) / tile.address.side
    // The shorter way around the world, for tiles beside 180°.
    var across = world.x - origin.x
    if across > 0.5 { across -= 1 } else if across < -0.5 { across += 1 }
    x = across * units
    y = (world.y - origin.y) * units
    // Mercator's scale at this latitude, measured along a millionth of the equator.
    let step = WorldPoint(x: world.x + 1e-6, y: world.y).geoPoint
    metresPerUnit = world.geoPoint.distance(to: step) * 1e6 / units
  }

  /// Units to the nearest point that a feature may have: tiles reach beyond their edges by a buffer,
  /// rarely by more than a quarter of their side.
  var distanceToBuffer: Double {
    let extent = Double(tile.extent)
    func beyond(_ value: Double) -> Double {
      max(-extent / 4 - value, value - extent * 1.25, 0)
    }
    return max(beyond(x), beyond(y))
  }

  /// Metres to the nearest point of a label's point or line.
  func distance(to label: GroundTile.Label) -> Double {
    var nearest: (x: Double, y: Double, square: Double)?
    for part in tile.parts[Int(label.parts.lowerBound)..<Int(label.parts.upperBound)] {
      var from = tile.vertices[Int(part.lowerBound)]
      for to in tile.vertices[Int(part.lowerBound)..<Int(part.upperBound)] {
        let found = nearestPoint(from: from, to: to)
        if found.square < nearest?.square ?? .infinity { nearest = found }
        from = to
      }
    }
    return nearest.map { point.distance(to: tile.geoPoint(x: $0.x, y: $0.y)) } ?? .infinity
  }

  /// The point of a segment that is nearest, and the square of its distance in units.
  private func nearestPoint(
    from: GroundTile.Vertex, to: GroundTile.Vertex
  ) -> (x: Double, y: Double, square: Double) {
    let (x0, y0) = (Double(from.x), Double(from.y))
    let (dx, dy) = (Double(to.x) - x0, Double(to.y) - y0)
    let length = dx * dx + dy * dy
    let share = length == 0 ? 0 : min(max(((x - x0) * dx + (y - y0) * dy) / length, 0), 1)
    let (px, py) = (x0 + share * dx, y0 + share * dy)
    return (px, py, (px - x) * (px - x) + (py - y) * (py - y))
  }
}
