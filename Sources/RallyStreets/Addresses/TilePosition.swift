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
    func beyond(_ value: Double) -> Double { max(-extent / 4 - value, value - extent * 1.25, 0) }
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

extension GroundTile {
  /// A point of the tile on the earth.
  ///
  /// - Parameters:
  ///   - x: Tile units to the east of the north-west corner.
  ///   - y: Tile units to the south of it.
  func geoPoint(x: Double, y: Double) -> GeoPoint {
    let unit = address.side / Double(extent)
    return WorldPoint(x: address.origin.x + x * unit, y: address.origin.y + y * unit).geoPoint
  }

  /// The middle of the longest run of a label, and the run's length in shares of the world's width.
  func middle(of label: Label) -> (point: GeoPoint, length: Double) {
    var longest: (run: ArraySlice<Vertex>, length: Double) = ([], -1)
    for part in parts[Int(label.parts.lowerBound)..<Int(label.parts.upperBound)] {
      let run = vertices[Int(part.lowerBound)..<Int(part.upperBound)]
      let length = zip(run, run.dropFirst()).reduce(0) { $0 + Self.distance($1.0, $1.1) }
      if length > longest.length { longest = (run, length) }
    }
    var rest = longest.length / 2
    for (from, to) in zip(longest.run, longest.run.dropFirst()) {
      let step = Self.distance(from, to)
      if step >= rest {
        let share = step == 0 ? 0 : rest / step
        let (dx, dy) = (Double(to.x) - Double(from.x), Double(to.y) - Double(from.y))
        return (
          geoPoint(x: Double(from.x) + share * dx, y: Double(from.y) + share * dy),
          longest.length * address.side / Double(extent)
        )
      }
      rest -= step
    }
    let only = longest.run.last ?? Vertex(x: 0, y: 0)
    return (geoPoint(x: Double(only.x), y: Double(only.y)), 0)
  }

  private static func distance(_ from: Vertex, _ to: Vertex) -> Double {
    let (dx, dy) = (Double(to.x) - Double(from.x), Double(to.y) - Double(from.y))
    return (dx * dx + dy * dy).squareRoot()
  }
}
