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
    (column(of: point), row(of: point))
  }

  private func column(of point: WorldPoint) -> Double {
    let column = point.x * worldWidth - originColumn
    let turns = ((column - firstColumn) / worldWidth).rounded(.down)
    return column - turns * worldWidth
  }

  private func row(of point: WorldPoint) -> Double { point.y * worldHeight - originRow }

  /// The cell that contains a point; nil when it is not on the grid.
  func cell(of point: WorldPoint) -> (column: Int, row: Int)? {
    // The row first: it takes no division, and most of the world is above or below a near view.
    let row = row(of: point)
    guard row >= 0, row < Double(rows) else { return nil }
    let column = column(of: point)
    guard column >= 0, column < Double(columns) else { return nil }
    return (Int(column), Int(row))
  }
}
