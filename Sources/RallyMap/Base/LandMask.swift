/// Which cells have their centre on land.
///
/// Even-odd fill with one scan line through the centre of each row: each crossed edge between land
/// and water toggles all cells to its right. Edges left of the grid toggle whole rows, so a view
/// deep inside a continent is land although no coast is visible.
struct LandMask {
  private(set) var isLand: ContiguousArray<Bool>

  init(_ level: WorldLevel, _ grid: GridTransform) {
    isLand = ContiguousArray(repeating: false, count: grid.columns * grid.rows)
    isLand.withUnsafeMutableBufferPointer { cells in
      level.xs.withUnsafeBufferPointer { xs in
        level.ys.withUnsafeBufferPointer { ys in
          for chunk in level.chunks where chunk.kind.bounds {
            Self.turnOver(cells, chunk, xs, ys, grid)
          }
        }
      }
      Self.sum(cells, grid)
    }
  }

  /// Toggles, in each row that the chunk crosses, the cell where land turns into water or back.
  @inline(__always)
  private static func turnOver(
    _ cells: UnsafeMutableBufferPointer<Bool>, _ chunk: LineChunk,
    _ xs: UnsafeBufferPointer<UInt16>, _ ys: UnsafeBufferPointer<UInt16>, _ grid: GridTransform
  ) {
    let top = grid.dotY(chunk.minY)
    let bottom = grid.dotY(chunk.maxY)
    guard bottom >= 2, top < Double(grid.rows * 4) else { return }
    for turn in grid.turns {
      let shift = grid.shift(turn: turn)
      guard Double(chunk.minX) * grid.scale + shift < Double(grid.columns * 2) else { continue }
      func edge(_ from: Int, _ to: Int) {
        turnOver(
          cells, fromX: Double(xs[from]) * grid.scale + shift, y: grid.dotY(ys[from]),
          toX: Double(xs[to]) * grid.scale + shift, y: grid.dotY(ys[to]), grid)
      }
      let points = chunk.points
      if Double(chunk.maxX) * grid.scale + shift < 1 {
        // Left of the grid only the end points matter: they decide whether the line crosses a row
        // an odd number of times.
        edge(points.lowerBound, points.upperBound - 1)
      } else {
        for index in points.lowerBound..<points.upperBound - 1 { edge(index, index + 1) }
      }
    }
  }

  @inline(__always)
  private static func turnOver(
    _ cells: UnsafeMutableBufferPointer<Bool>, fromX x0: Double, y y0: Double, toX x1: Double,
    y y1: Double, _ grid: GridTransform
  ) {
    // Half open: rows whose centre 4·row + 2 lies in upper ..< lower.
    let upper = max(((min(y0, y1) - 2) / 4).rounded(.up), 0)
    let lower = min(((max(y0, y1) - 2) / 4).rounded(.up), Double(grid.rows))
    guard upper < lower else { return }
    let slope = (x1 - x0) / (y1 - y0)
    for row in Int(upper)..<Int(lower) {
      let x = x0 + (Double(row * 4 + 2) - y0) * slope
      // The first cell whose centre 2·column + 1 lies right of the crossing.
      let column = x < 1 ? 0 : Int(min((x - 1) / 2, Double(grid.columns))) + 1
      if column < grid.columns { cells[row * grid.columns + column].toggle() }
    }
  }

  /// Turns crossings into filled spans: prefix parity along each row.
  private static func sum(_ cells: UnsafeMutableBufferPointer<Bool>, _ grid: GridTransform) {
    for row in 0..<grid.rows {
      var isLand = false
      for index in row * grid.columns..<(row + 1) * grid.columns {
        isLand = isLand != cells[index]
        cells[index] = isLand
      }
    }
  }
}
