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

/// How one kind of line is drawn.
struct LineStyle {
  let kind: LineKind
  let ink: MapInk
  /// Of each `dash.period` dots the first `dash.on` are drawn: on a terminal without colours a border
  /// must not look like a coast.
  let dash: (on: Int, period: Int)
  /// Closed lines that are smaller than this, in dots, are not drawn as lines.
  var leastRing = 0.0

  /// Borders of states appear once a state is wider than its own lines.
  static let statesFromZoom = 3.0
  /// Borders of countries on the whole world would be more ink than the continents.
  static let bordersFromZoom = 1.75

  /// In the order of drawing.
  static func all(zoom: Double, showsBorders: Bool) -> [LineStyle] {
    var styles = [
      LineStyle(kind: .lake, ink: .lake, dash: (1, 1), leastRing: 5),
      LineStyle(kind: .coast, ink: .coast, dash: (1, 1), leastRing: 2.5),
    ]
    if showsBorders && zoom >= statesFromZoom {
      styles.append(LineStyle(kind: .state, ink: .state, dash: (1, 2)))
    }
    if showsBorders && zoom >= bordersFromZoom {
      styles.append(LineStyle(kind: .disputed, ink: .disputed, dash: (3, 6)))
      styles.append(LineStyle(kind: .border, ink: .border, dash: (2, 3)))
    }
    return styles
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
            pen.draw(chunk, xs, ys, grid, leastRing: style.leastRing)
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

extension DotPen {
  /// Draws a chunk in every copy of the world that is in sight.
  fileprivate mutating func draw(
    _ chunk: LineChunk, _ xs: UnsafeBufferPointer<UInt16>, _ ys: UnsafeBufferPointer<UInt16>,
    _ grid: GridTransform, leastRing: Double
  ) {
    guard grid.dotY(chunk.maxY) >= Double(clip.minY), grid.dotY(chunk.minY) < Double(clip.maxY + 1)
    else { return }
    let points = chunk.points
    let last = points.upperBound - 1
    let side = Double(max(chunk.maxX - chunk.minX, chunk.maxY - chunk.minY)) * grid.scale
    let isSmallRing =
      side < leastRing && xs[points.lowerBound] == xs[last] && ys[points.lowerBound] == ys[last]
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
        // Steps of one dot are the noise of a coast that is finer than the grid.
        let isNear = abs(nextX - x) < 2 && abs(nextY - y) < 2
        if isNear && (index < last || (nextX == x && nextY == y)) { continue }
        line(fromX: x, y: y, toX: nextX, y: nextY)
        isDrawn = true
        (x, y) = (nextX, nextY)
      }
      if !isDrawn { plot(x, y) }
    }
  }

  /// An island of a dot or two is one dot, where it is not lost among the lines of others; a lake of that
  /// size is nothing.
  private func plotSmallRing(_ x: Int, _ y: Int) {
    guard ink == .coast, x >= clip.minX, x <= clip.maxX, y >= clip.minY, y <= clip.maxY else {
      return
    }
    let index = (y >> 2) * columns + (x >> 1)
    if inks[index] <= .land { plot(x, y) }
  }
}
