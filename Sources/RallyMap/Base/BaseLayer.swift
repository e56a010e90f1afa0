/// The map without night, labels and markers. Cached while the viewport does not change.
struct BaseLayer {
  let canvas: DotCanvas
  let isLand: ContiguousArray<Bool>
  let grid: GridTransform

  /// - Parameter level: The world's lines; nil draws only sea.
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
  /// Stipples land: one dot in every fourth cell, shifted by two cells from row to row. `origin` is
  /// the viewport's position on the lattice, so that the pattern moves with the land when panning.
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

  /// Draws all lines of one kind that intersect the grid.
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

  /// Marks cells beyond the edge of the world.
  fileprivate mutating func leave(outside grid: GridTransform) {
    for row in 0..<rows {
      for column in 0..<columns where !grid.isWorld(column: column, row: row) {
        inks[row * columns + column] = .outside
        dots[row * columns + column] = 0
      }
    }
  }
}
