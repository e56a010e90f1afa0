import RallyMap

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
