extension DotPen {
  /// Draws a chunk in every visible copy of the world (the world repeats east and west).
  mutating func draw(
    _ chunk: LineChunk, _ xs: UnsafeBufferPointer<UInt16>, _ ys: UnsafeBufferPointer<UInt16>,
    _ grid: GridTransform, style: LineStyle
  ) {
    guard grid.dotY(chunk.maxY) >= Double(clip.minY), grid.dotY(chunk.minY) < Double(clip.maxY + 1)
    else { return }
    let points = chunk.points
    let last = points.upperBound - 1
    let side = Double(max(chunk.maxX - chunk.minX, chunk.maxY - chunk.minY)) * grid.scale
    let isSmallRing =
      side < style.leastRing && xs[points.lowerBound] == xs[last]
      && ys[points.lowerBound] == ys[last]
    for turn in grid.turns {
      let shift = grid.shift(turn: turn)
      guard Double(chunk.maxX) * grid.scale + shift >= Double(clip.minX),
        Double(chunk.minX) * grid.scale + shift < Double(clip.maxX + 1)
      else { continue }
      phase = 0
      var x = Int((Double(xs[points.lowerBound]) * grid.scale + shift).rounded(.down))
      var y = Int(grid.dotY(ys[points.lowerBound]).rounded(.down))
      if isSmallRing {
        plotSmallRing(x, y)
        continue
      }
      var isDrawn = false
      for index in points.lowerBound + 1...last {
        let nextX = Int((Double(xs[index]) * grid.scale + shift).rounded(.down))
        let nextY = Int(grid.dotY(ys[index]).rounded(.down))
        let isNear = abs(nextX - x) < style.leastStep && abs(nextY - y) < style.leastStep
        if isNear && (index < last || (nextX == x && nextY == y)) { continue }
        line(fromX: x, y: y, toX: nextX, y: nextY)
        isDrawn = true
        (x, y) = (nextX, nextY)
      }
      if !isDrawn { plot(x, y) }
    }
  }

  /// Draws a ring smaller than `LineStyle.leastRing`: an island becomes one dot unless the cell
  /// already has a line; a lake is skipped.
  private func plotSmallRing(_ x: Int, _ y: Int) {
    guard ink == .coast, x >= clip.minX, x <= clip.maxX, y >= clip.minY, y <= clip.maxY else {
      return
    }
    let index = (y >> 2) * columns + (x >> 1)
    if inks[index] <= .land { plot(x, y) }
  }
}
