/// The map without night, labels and markers. Cached while the viewport does not change.
struct BaseLayer {
  let canvas: DotCanvas
  let fills: FillGrid
  let grid: GridTransform
  /// The dots that tiles cover.
  let covered: [DotRect]
  /// What stands for the ground where no tiles are, near by.
  let near: NearGrid?

  /// - Parameters:
  ///   - level: The world's lines; nil draws only sea.
  ///   - ground: Tiles that cover the world where they are.
  ///   - showsAntarctica: Whether there is land south of 60° S.
  init(
    _ viewport: Viewport, level: WorldLevel?, ground: MapGround, options: MapOptions,
    showsAntarctica: Bool = true
  ) {
    let grid = GridTransform(viewport)
    var canvas = DotCanvas(columns: viewport.columns, rows: viewport.rows)
    var fills: FillGrid
    let near = NearGrid(viewport, grid: grid, place: options.distanceOrigin)
    if let near {
      fills = FillGrid(columns: viewport.columns, rows: viewport.rows, with: .none)
      canvas.draw(near, clip: grid.clip)
    } else if let level {
      let land = LandMask(level, grid).isLand
      fills = FillGrid(columns: viewport.columns, rows: viewport.rows) { land[$0] }
      for style in LineStyle.all(zoom: viewport.zoom, showsBorders: options.showsBorders) {
        canvas.draw(style, level, grid)
      }
      if !showsAntarctica { canvas.drown(southOf: Self.antarctica, grid, &fills) }
    } else {
      fills = FillGrid(columns: viewport.columns, rows: viewport.rows, with: .sea)
    }
    covered =
      viewport.zoom >= MapGround.lowestZoom
      ? canvas.draw(ground, into: &fills, viewport, grid, options) : []
    canvas.leave(outside: grid, &fills)
    canvas.ink(fills, options.fillStyle, viewport.origin)
    self.near = near
    self.canvas = canvas
    self.fills = fills
    self.grid = grid
  }

  /// The parallel of 60° S in world units: no land crosses it.
  static let antarctica = WorldPoint(GeoPoint(latitude: -60, longitude: 0)).y * WorldUnits.span

  /// Whether a tile covers the middle of a cell.
  func isCovered(column: Int, row: Int) -> Bool {
    covered.contains {
      let cells = canvas.cells(in: $0)
      return cells.columns.contains(column) && cells.rows.contains(row)
    }
  }
}

extension DotCanvas {
  /// Draws all lines of one kind that intersect the grid.
  fileprivate mutating func draw(_ style: LineStyle, _ level: WorldLevel, _ grid: GridTransform) {
    draw(style.ink, clip: grid.clip) { pen in
      pen.dash = style.dash
      for chunk in level.chunks where chunk.kind == style.kind {
        pen.draw(chunk, level.xs.span, level.ys.span, grid, style: style)
      }
    }
  }

  /// Leaves only sea in the rows south of a parallel.
  ///
  /// - Parameter unit: Its y in world units.
  fileprivate mutating func drown(
    southOf unit: Double, _ grid: GridTransform, _ fills: inout FillGrid
  ) {
    let first = ((unit * grid.scale - grid.originY - 2) / 4).rounded(.up)
    for row in Int(min(max(first, 0), Double(rows)))..<rows {
      for column in 0..<columns {
        inks[row * columns + column] = .sea
        dots[row * columns + column] = 0
        fills.fill(column: column, row: row, with: .sea)
      }
    }
  }

  /// Marks cells beyond the edge of the world, which look like sea.
  fileprivate mutating func leave(outside grid: GridTransform, _ fills: inout FillGrid) {
    for row in 0..<rows {
      for column in 0..<columns where !grid.isWorld(column: column, row: row) {
        inks[row * columns + column] = .outside
        dots[row * columns + column] = 0
        fills.fill(column: column, row: row, with: .sea)
      }
    }
  }

  /// Gives cells without lines the ink of what lies under them, with its pattern of dots where the
  /// terminal has too few colours for backgrounds.
  ///
  /// - Parameter origin: The viewport's position on the lattice, so that patterns move with the
  ///   ground when panning.
  fileprivate mutating func ink(
    _ fills: FillGrid, _ style: MapOptions.FillStyle, _ origin: (column: Int, row: Int)
  ) {
    for row in 0..<rows {
      for column in 0..<columns where inks[row * columns + column] == .sea {
        let (upper, lower) = (fills.upper(column, row), fills.lower(column, row))
        // A pattern needs a whole cell: the more striking half decides.
        let fill = upper.rawValue > lower.rawValue ? upper : lower
        let index = row * columns + column
        inks[index] = fill.ink
        if style == .stipple || fill == .unreadable {
          dots[index] = fill.pattern(column: column + origin.column, row: row + origin.row)
        }
      }
    }
  }
}

extension MapFill {
  fileprivate var ink: MapInk {
    switch self {
    case .none: .outside
    case .sea: .sea
    case .land, .town: .land
    case .park: .green
    case .water: .water
    case .building: .building
    case .unreadable: .unreadable
    }
  }

  /// The dots of a cell of the lattice, in the bit order of Unicode braille patterns.
  fileprivate func pattern(column: Int, row: Int) -> UInt8 {
    func dots(_ places: (x: Int, y: Int)...) -> UInt8 {
      places.reduce(0) { $0 | DotCanvas.bit(x: $1.x, y: $1.y) }
    }
    switch self {
    // Land is shown by its coast: a pattern over half of the picture hides what stands on it.
    case .none, .sea, .land, .town: return 0
    case .park: return (column + row) & 1 == 0 ? dots((0, 0), (1, 2)) : dots((0, 3))
    case .water: return (column + 2 * row) & 3 < 2 ? dots((0, 1), (1, 1)) : dots((0, 3), (1, 3))
    case .building: return dots((column + row) & 1 == 0 ? (1, 1) : (0, 2))
    case .unreadable: return column & 1 == 0 ? dots((0, 3), (1, 2)) : dots((0, 1), (1, 0))
    }
  }
}

extension DotPen {
  /// Draws a chunk in every visible copy of the world (the world repeats east and west).
  mutating func draw(
    _ chunk: LineChunk, _ xs: Span<UInt16>, _ ys: Span<UInt16>, _ grid: GridTransform,
    style: LineStyle
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

/// Drawing style of one kind of line.
struct LineStyle {
  let kind: LineKind
  let ink: MapInk
  /// The first `dash.on` of each `dash.period` dots are drawn. Dashes distinguish borders from
  /// coasts on a terminal without colours.
  let dash: (on: Int, period: Int)
  /// Closed lines smaller than this, in dots, are not drawn as lines.
  var leastRing = 0.0
  /// Segments shorter than this, in dots, are merged with the next one: such coast detail is finer
  /// than the grid.
  let leastStep: Int

  /// State borders are drawn from this zoom on, where states are wider than their border lines.
  static let statesFromZoom = 3.0
  /// Country borders are drawn from this zoom on; on the whole world they would outweigh the
  /// coasts.
  static let bordersFromZoom = 1.75
  private static let coarseBelowZoom = 0.0

  /// Styles in drawing order.
  static func all(zoom: Double, showsBorders: Bool) -> [LineStyle] {
    let shore = zoom >= NearGrid.faintCoastFromZoom ? (on: 1, period: 3) : (on: 1, period: 1)
    // On a small screen the whole world would turn the Arctic islands into one solid blob.
    let isCoarse = zoom < coarseBelowZoom
    let step = isCoarse ? 3 : 2
    var styles = [
      LineStyle(kind: .lake, ink: .lake, dash: shore, leastRing: 5, leastStep: step),
      LineStyle(
        kind: .coast, ink: .coast, dash: shore, leastRing: isCoarse ? 4.5 : 2.5, leastStep: step),
    ]
    if showsBorders && zoom >= statesFromZoom {
      styles.append(LineStyle(kind: .state, ink: .state, dash: (1, 2), leastStep: step))
    }
    if showsBorders && zoom >= bordersFromZoom {
      styles.append(LineStyle(kind: .disputed, ink: .disputed, dash: (3, 6), leastStep: step))
      styles.append(LineStyle(kind: .border, ink: .border, dash: (2, 3), leastStep: step))
    }
    return styles
  }
}
