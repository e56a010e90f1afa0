extension DotPen {
  /// Draws all parts of a line of a tile.
  ///
  /// - Parameter isWide: Two dots wide: every segment is drawn again one dot to the side.
  mutating func draw(
    _ shape: GroundTile.Shape, of tile: GroundTile,
    _ vertices: UnsafeBufferPointer<GroundTile.Vertex>, _ transform: TileTransform, isWide: Bool
  ) {
    for part in shape.parts {
      let run = tile.parts[Int(part)]
      guard let first = run.first else { continue }
      phase = 0
      var x = Int(transform.x(vertices[Int(first)].x).rounded(.down))
      var y = Int(transform.y(vertices[Int(first)].y).rounded(.down))
      var isDrawn = false
      for index in run.dropFirst() {
        let nextX = Int(transform.x(vertices[Int(index)].x).rounded(.down))
        let nextY = Int(transform.y(vertices[Int(index)].y).rounded(.down))
        if nextX == x && nextY == y { continue }
        let start = phase
        line(fromX: x, y: y, toX: nextX, y: nextY)
        if isWide {
          phase = start
          let isFlat = abs(nextX - x) >= abs(nextY - y)
          let (dx, dy) = isFlat ? (0, 1) : (1, 0)
          line(fromX: x + dx, y: y + dy, toX: nextX + dx, y: nextY + dy)
        }
        isDrawn = true
        (x, y) = (nextX, nextY)
      }
      if !isDrawn { plot(x, y) }
    }
  }
}
