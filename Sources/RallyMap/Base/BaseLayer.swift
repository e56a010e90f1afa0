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
      level.xs.withUnsafeBufferPointer { xs in
        level.ys.withUnsafeBufferPointer { ys in
          for chunk in level.chunks where chunk.kind == style.kind {
            pen.draw(chunk, xs, ys, grid, style: style)
          }
        }
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
    // Land is told by its coast: a pattern over half of the picture hides what stands on it.
    case .none, .sea, .land, .town: return 0
    case .park: return (column + row) & 1 == 0 ? dots((0, 0), (1, 2)) : dots((0, 3))
    case .water: return (column + 2 * row) & 3 < 2 ? dots((0, 1), (1, 1)) : dots((0, 3), (1, 3))
    case .building: return dots((column + row) & 1 == 0 ? (1, 1) : (0, 2))
    case .unreadable: return column & 1 == 0 ? dots((0, 3), (1, 2)) : dots((0, 1), (1, 0))
    }
  }
}
