/// The map without night, labels and markers: what a view shows as long as it does not move.
struct BaseLayer {
  let canvas: DotCanvas
  let isLand: ContiguousArray<Bool>
  let grid: GridTransform

  /// - Parameter level: The world's lines; nil leaves the sea.
  init(_ viewport: Viewport, level: WorldLevel?, options: MapOptions) {
    let grid = GridTransform(viewport)
    var canvas = DotCanvas(columns: viewport.columns, rows: viewport.rows)
    if let level {
      isLand = LandMask(level, grid).isLand
      if options.landFill == .stipple { canvas.stipple(isLand, viewport.origin) }
      for style in LineStyle.all(zoom: viewport.zoom, showsBorders: options.showsBorders) {
        canvas.draw(style, level, grid)
      }
    } else {
      isLand = ContiguousArray(repeating: false, count: viewport.columns * viewport.rows)
    }
    canvas.leave(outside: grid)
    self.canvas = canvas
    self.grid = grid
  }
}

extension DotCanvas {
  /// Gives each land cell one dot, staggered from cell to cell; `origin` keeps the pattern on the land
  /// while the view moves.
  fileprivate mutating func stipple(
    _ isLand: ContiguousArray<Bool>, _ origin: (column: Int, row: Int)
  ) {
    for row in 0..<rows {
      for column in 0..<columns where isLand[row * columns + column] {
        let index = row * columns + column
        inks[index] = .land
        if (column + origin.column + 2 * (row + origin.row)) & 3 == 0 {
          dots[index] = Self.bit(x: 0, y: 1)
        }
      }
    }
  }

  /// Draws all lines of a kind that touch the grid.
  fileprivate mutating func draw(_ style: LineStyle, _ level: WorldLevel, _ grid: GridTransform) {
    draw(style.ink, clip: grid.clip) { pen in
      pen.dash = style.dash
      level.xs.withUnsafeBufferPointer { xs in
        level.ys.withUnsafeBufferPointer { ys in
          for chunk in level.chunks where chunk.kind == style.kind {
            pen.draw(chunk, xs, ys, grid, style: style)
          }
        }
      }
    }
  }

  /// Marks what lies beyond the world.
  fileprivate mutating func leave(outside grid: GridTransform) {
    for row in 0..<rows {
      for column in 0..<columns where !grid.isWorld(column: column, row: row) {
        inks[row * columns + column] = .outside
        dots[row * columns + column] = 0
      }
    }
  }
}
