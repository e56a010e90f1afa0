/// What lies under the lines and texts of each half of a cell. Halves are two dots wide and two
/// high, so they are about square on a terminal.
struct FillGrid {
  let columns: Int
  /// Twice the rows of the grid.
  let halfRows: Int
  private(set) var halves: ContiguousArray<MapFill>

  init(columns: Int, rows: Int, with fill: MapFill) {
    self.columns = columns
    halfRows = rows * 2
    halves = ContiguousArray(repeating: fill, count: columns * rows * 2)
  }

  /// Land and sea of the built-in world.
  init(columns: Int, rows: Int, isLand: (Int) -> Bool) {
    self.init(columns: columns, rows: rows, with: .sea)
    for index in 0..<columns * rows where isLand(index) {
      let upper = index / columns * 2 * columns + index % columns
      halves[upper] = .land
      halves[upper + columns] = .land
    }
  }

  func upper(_ column: Int, _ row: Int) -> MapFill { halves[row * 2 * columns + column] }
  func lower(_ column: Int, _ row: Int) -> MapFill { halves[(row * 2 + 1) * columns + column] }

  /// Fills all halves whose centre lies in a rectangle of dots.
  mutating func fill(_ rect: DotRect, with fill: MapFill) {
    let (across, down) = halves(in: rect)
    for row in down {
      for index in row * columns + across.lowerBound..<row * columns + across.upperBound {
        halves[index] = fill
      }
    }
  }

  mutating func fill(column: Int, row: Int, with fill: MapFill) {
    halves[row * 2 * columns + column] = fill
    halves[(row * 2 + 1) * columns + column] = fill
  }

  /// The columns and half rows whose centres lie in a rectangle.
  private func halves(in rect: DotRect) -> (columns: Range<Int>, rows: Range<Int>) {
    rect.cells(columns: columns, rows: halfRows, height: 2)
  }

  /// Fills an area of a tile: even-odd, by a scan line through the centres of each half row.
  ///
  /// - Parameter crossings: Scratch space, kept between calls to save allocations.
  mutating func fill(
    _ shape: GroundTile.Shape, of tile: GroundTile, _ transform: TileTransform, with fill: MapFill,
    crossings: inout ContiguousArray<Crossing>
  ) {
    let (across, down) = halves(in: transform.clip)
    crossings.removeAll(keepingCapacity: true)
    let vertices = tile.vertices.span
    for part in shape.parts {
      let ring = tile.parts[Int(part)]
      guard ring.count >= 3 else { continue }
      var x0 = transform.x(vertices[Int(ring.upperBound) - 1].x)
      var y0 = transform.y(vertices[Int(ring.upperBound) - 1].y)
      for index in ring {
        let x1 = transform.x(vertices[Int(index)].x)
        let y1 = transform.y(vertices[Int(index)].y)
        Self.cross(x0, y0, x1, y1, down, &crossings)
        (x0, y0) = (x1, y1)
      }
    }
    crossings.sort { $0.row == $1.row ? $0.x < $1.x : $0.row < $1.row }
    var index = 0
    while index + 1 < crossings.count {
      let (from, to) = (crossings[index], crossings[index + 1])
      guard from.row == to.row else {
        index += 1
        continue
      }
      // Columns whose centre 2c + 1 lies in from.x ..< to.x.
      let first = max(Int(((from.x - 1) / 2).rounded(.up)), across.lowerBound)
      let end = min(Int(((to.x - 1) / 2).rounded(.up)), across.upperBound)
      let start = Int(from.row) * columns
      if first < end {
        for column in first..<end { halves[start + column] = fill }
      }
      index += 2
    }
  }

  /// Where an edge of an area crosses the scan line of a half row.
  struct Crossing {
    var row: Int32
    var x: Float
  }

  @inline(__always)
  private static func cross(
    _ x0: Double, _ y0: Double, _ x1: Double, _ y1: Double, _ rows: Range<Int>,
    _ crossings: inout ContiguousArray<Crossing>
  ) {
    // Half open: rows whose centre 2r + 1 lies in upper ..< lower.
    let upper = max(((min(y0, y1) - 1) / 2).rounded(.up), Double(rows.lowerBound))
    let lower = min(((max(y0, y1) - 1) / 2).rounded(.up), Double(rows.upperBound))
    guard upper < lower else { return }
    let slope = (x1 - x0) / (y1 - y0)
    for row in Int(upper)..<Int(lower) {
      let x = x0 + (Double(row * 2 + 1) - y0) * slope
      crossings.append(Crossing(row: Int32(row), x: Float(min(max(x, -1e6), 1e6))))
    }
  }
}

/// Which cells have their centre on land.
///
/// Even-odd fill with one scan line through the centre of each row: each crossed edge between land
/// and water toggles all cells to its right. Edges left of the grid toggle whole rows, so a view
/// deep inside a continent is land although no coast is visible.
struct LandMask {
  private(set) var isLand: ContiguousArray<Bool>

  init(_ level: WorldLevel, _ grid: GridTransform) {
    isLand = ContiguousArray(repeating: false, count: grid.columns * grid.rows)
    var cells = isLand.mutableSpan
    for chunk in level.chunks where chunk.kind.bounds {
      Self.turnOver(&cells, chunk, level.xs.span, level.ys.span, grid)
    }
    Self.sum(&cells, grid)
  }

  /// Toggles, in each row that the chunk crosses, the cell where land turns into water or back.
  @inline(__always)
  private static func turnOver(
    _ cells: inout MutableSpan<Bool>, _ chunk: LineChunk, _ xs: Span<UInt16>, _ ys: Span<UInt16>,
    _ grid: GridTransform
  ) {
    let top = grid.dotY(chunk.minY)
    let bottom = grid.dotY(chunk.maxY)
    guard bottom >= 2, top < Double(grid.rows * 4) else { return }
    for turn in grid.turns {
      let shift = grid.shift(turn: turn)
      guard Double(chunk.minX) * grid.scale + shift < Double(grid.columns * 2) else { continue }
      // Left of the grid only the end points matter: they decide whether the line crosses a row an
      // odd number of times.
      let isLeft = Double(chunk.maxX) * grid.scale + shift < 1
      let last = chunk.points.upperBound - 1
      var from = chunk.points.lowerBound
      while from < last {
        let to = isLeft ? last : from + 1
        turnOver(
          &cells, fromX: Double(xs[from]) * grid.scale + shift, y: grid.dotY(ys[from]),
          toX: Double(xs[to]) * grid.scale + shift, y: grid.dotY(ys[to]), grid)
        from = to
      }
    }
  }

  @inline(__always)
  private static func turnOver(
    _ cells: inout MutableSpan<Bool>, fromX x0: Double, y y0: Double, toX x1: Double, y y1: Double,
    _ grid: GridTransform
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
  private static func sum(_ cells: inout MutableSpan<Bool>, _ grid: GridTransform) {
    for row in 0..<grid.rows {
      var isLand = false
      for index in row * grid.columns..<(row + 1) * grid.columns {
        isLand = isLand != cells[index]
        cells[index] = isLand
      }
    }
  }
}
