/// Projects world points to cells, with the constants of one viewport precomputed.
struct CellProjection {
  private let originColumn: Double
  private let originRow: Double
  private let worldWidth: Double
  private let worldHeight: Double
  private let firstColumn: Double
  let columns: Int
  let rows: Int

  init(_ viewport: Viewport) {
    let origin = viewport.origin
    originColumn = Double(origin.column)
    originRow = Double(origin.row)
    worldWidth = viewport.worldDots / 2
    worldHeight = viewport.worldDots / 4
    firstColumn = viewport.worldColumns.lowerBound
    columns = viewport.columns
    rows = viewport.rows
  }

  /// Position in cells from the upper left corner, in the visible copy of the world.
  func position(of point: WorldPoint) -> (column: Double, row: Double) {
    let column = point.x * worldWidth - originColumn
    let turns = ((column - firstColumn) / worldWidth).rounded(.down)
    return (column - turns * worldWidth, point.y * worldHeight - originRow)
  }

  /// The cell that contains a point; nil when it is not on the grid.
  func cell(of point: WorldPoint) -> (column: Int, row: Int)? {
    let found = position(of: point)
    guard found.column >= 0, found.column < Double(columns), found.row >= 0,
      found.row < Double(rows)
    else { return nil }
    return (Int(found.column), Int(found.row))
  }
}
